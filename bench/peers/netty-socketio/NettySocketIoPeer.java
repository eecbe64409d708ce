// SPDX-License-Identifier: Apache-2.0
import static java.nio.charset.StandardCharsets.UTF_8;

import com.corundumstudio.socketio.AckMode;
import com.corundumstudio.socketio.AckRequest;
import com.corundumstudio.socketio.AuthTokenResult;
import com.corundumstudio.socketio.Configuration;
import com.corundumstudio.socketio.MultiTypeArgs;
import com.corundumstudio.socketio.SocketConfig;
import com.corundumstudio.socketio.SocketIOClient;
import com.corundumstudio.socketio.SocketIOChannelInitializer;
import com.corundumstudio.socketio.SocketIOServer;
import com.corundumstudio.socketio.listener.MultiTypeEventListener;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/** netty-socketio as a peer in the race: a port. */
final class NettySocketIoPeer {
    private static final byte[] PASSWORD = "secret".getBytes(UTF_8);
    private static final String BODY = "{\"password\":\"secret\"}";
    private static final long TICKET_NANOS = 30_000_000_000L;
    private static final String ADMITTED = "admitted";
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Those that were not used yet, and when they were given. */
    private static final Map<String, Long> TICKETS = new ConcurrentHashMap<>();

    private NettySocketIoPeer() {}

    public static void main(String[] arguments) {
        var server = new SocketIOServer(configuration(Integer.parseInt(arguments[0])));
        server.setPipelineFactory(new WithTickets());
        server.getNamespace("").addAuthTokenListener(NettySocketIoPeer::admit);
        on(server, "echo", (_, all, ack) -> ack.sendAckData(from(all, 0)));
        on(server, "join", NettySocketIoPeer::join);
        on(server, "leave", NettySocketIoPeer::leave);
        on(server, "publish", NettySocketIoPeer::publish);
        server.start();
    }

    private static Configuration configuration(int port) {
        var sockets = new SocketConfig();
        sockets.setAcceptBackLog(4096);
        sockets.setReuseAddress(true);
        sockets.setTcpNoDelay(true);
        var configuration = new Configuration();
        configuration.setHostname("127.0.0.1");
        configuration.setPort(port);
        configuration.setBossThreads(1);
        configuration.setWorkerThreads(1);
        configuration.setUseLinuxNativeEpoll(true);
        configuration.setAddVersionHeader(false);
        configuration.setHttpCompression(false);
        configuration.setWebsocketCompression(false);
        configuration.setAckMode(AckMode.MANUAL);
        configuration.setSocketConfig(sockets);
        return configuration;
    }

    /** With eight arguments at most, of any kind; for those who are admitted. */
    private static void on(SocketIOServer server, String event, MultiTypeEventListener listener) {
        Class<?>[] values =
                IntStream.range(0, 8).mapToObj(_ -> Object.class).toArray(Class<?>[]::new);
        server.addMultiTypeEventListener(
                event,
                (client, all, ack) -> {
                    if (client.has(ADMITTED)) {
                        listener.onData(client, all, ack);
                    } else {
                        client.disconnect(); // who brings nothing at all is asked for nothing
                    }
                },
                values);
    }

    private static Object[] from(MultiTypeArgs all, int first) {
        return IntStream.range(first, all.size()).mapToObj(i -> (Object) all.get(i)).toArray();
    }

    // ---- who may come in

    private static AuthTokenResult admit(Object auth, SocketIOClient client) {
        boolean admitted =
                auth instanceof Map<?, ?> map
                        && (map.get("ticket") instanceof String ticket
                                ? takeTicket(ticket)
                                : map.get("password") instanceof String password
                                        && isPassword(password));
        if (admitted) {
            client.set(ADMITTED, true);
        }
        return admitted
                ? AuthTokenResult.AuthTokenResultSuccess
                : new AuthTokenResult(false, Map.of("message", "unauthorized"));
    }

    private static boolean isPassword(String offered) {
        return MessageDigest.isEqual(PASSWORD, offered.getBytes(UTF_8));
    }

    private static String newTicket() {
        var bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        String ticket = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        TICKETS.put(ticket, System.nanoTime());
        return ticket;
    }

    private static boolean takeTicket(String ticket) {
        Long given = TICKETS.remove(ticket);
        return given != null && System.nanoTime() - given < TICKET_NANOS;
    }

    // ---- what they may ask for

    private static void join(SocketIOClient client, MultiTypeArgs all, AckRequest ack) {
        client.joinRoom(all.first());
        ack.sendAckData(List.of());
    }

    private static void leave(SocketIOClient client, MultiTypeArgs all, AckRequest ack) {
        client.leaveRoom(all.first());
        ack.sendAckData(List.of());
    }

    private static void publish(SocketIOClient client, MultiTypeArgs all, AckRequest ack) {
        String room = all.first();
        String event = all.second();
        client.getNamespace().getRoomOperations(room).sendEvent(event, client, from(all, 2));
        if (ack.isAckRequested()) {
            ack.sendAckData(List.of());
        }
    }

    // ---- tickets

    /** Has a handler of ours answer before its own see a request. */
    private static final class WithTickets extends SocketIOChannelInitializer {
        @Override
        protected void initChannel(Channel channel) throws Exception {
            super.initChannel(channel);
            channel.pipeline().addBefore(AUTHORIZE_HANDLER, "ticket", new TicketDoor());
        }
    }

    @ChannelHandler.Sharable
    private static final class TicketDoor extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof FullHttpRequest request && isForTicket(request)) {
                boolean admitted = request.content().toString(UTF_8).equals(BODY);
                request.release();
                context.writeAndFlush(
                        admitted
                                ? answer(HttpResponseStatus.OK, "{\"ticket\":\"" + newTicket() + "\"}")
                                : answer(
                                        HttpResponseStatus.UNAUTHORIZED,
                                        "{\"error\":{\"code\":\"unauthorized\"}}"));
            } else {
                context.fireChannelRead(message);
            }
        }

        private static boolean isForTicket(FullHttpRequest request) {
            return request.method().equals(HttpMethod.POST) && request.uri().equals("/ticket");
        }

        private static FullHttpResponse answer(HttpResponseStatus status, String body) {
            var response =
                    new DefaultFullHttpResponse(
                            HttpVersion.HTTP_1_1, status, Unpooled.copiedBuffer(body, UTF_8));
            response.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
                    .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
            return response;
        }
    }
}

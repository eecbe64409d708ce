// SPDX-License-Identifier: Apache-2.0
import static io.netty.handler.codec.http.HttpHeaderNames.CONNECTION;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_LENGTH;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_TYPE;
import static io.netty.handler.codec.http.HttpHeaderNames.DATE;
import static io.netty.handler.codec.http.HttpVersion.HTTP_1_1;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Netty as a peer in the race: a port, a folder, a transport. */
final class NettyPeer {
    private static final HttpHeadersFactory UNCHECKED =
            DefaultHttpHeadersFactory.headersFactory().withValidation(false);
    private static final HttpHeadersFactory TRAILERS = DefaultHttpHeadersFactory.trailersFactory();
    private static final AsciiString BINARY = AsciiString.cached("application/octet-stream");
    private static final DateTimeFormatter IMF_DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
                    .withZone(ZoneOffset.UTC);
    private static final Text HELLO = Text.of("Hello, World!");
    private static final Text ECHO = Text.of("Hello from the echo");
    private static final Text THREE = Text.of("abc");
    private static final Text NOT_FOUND = Text.of("Not Found");
    private static final Text BAD_REQUEST = Text.of("Bad Request");

    /** Rendered once a second, by the event loop. */
    private static AsciiString date = now();

    private NettyPeer() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        File files = new File(arguments[1]);
        boolean uring = arguments[2].equals("io_uring");
        EventLoopGroup loop =
                new MultiThreadIoEventLoopGroup(
                        1, uring ? IoUringIoHandler.newFactory() : EpollIoHandler.newFactory());
        loop.scheduleWithFixedDelay(() -> date = now(), 1, 1, TimeUnit.SECONDS);
        new ServerBootstrap()
                .group(loop)
                .channel(uring ? IoUringServerSocketChannel.class : EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 4096)
                .childHandler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                channel.pipeline().addLast(new HttpServerCodec());
                                channel.pipeline().addLast(new Site(files));
                            }
                        })
                .bind("127.0.0.1", port)
                .sync();
    }

    private static AsciiString now() {
        return AsciiString.cached(IMF_DATE.format(Instant.now()));
    }

    /** A body that is sent again and again, and its length as it stands in a head. */
    private record Text(ByteBuf body, AsciiString length) {
        static Text of(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            ByteBuf body = Unpooled.directBuffer(bytes.length).writeBytes(bytes).asReadOnly();
            return new Text(
                    Unpooled.unreleasableBuffer(body),
                    AsciiString.cached(String.valueOf(bytes.length)));
        }
    }

    /** The answers on one connection. */
    private static final class Site extends ChannelInboundHandlerAdapter {
        private final File files;
        private boolean closing;

        Site(File files) {
            this.files = files;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            try {
                if (message instanceof HttpRequest request && !closing) answer(context, request);
            } finally {
                ReferenceCountUtil.release(message);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }

        private void answer(ChannelHandlerContext context, HttpRequest request) {
            String path = request.uri();
            if (request.decoderResult().isFailure()) {
                closing = true;
                text(context, request, HttpResponseStatus.BAD_REQUEST, BAD_REQUEST);
            } else if (path.equals("/plaintext")) {
                text(context, request, HttpResponseStatus.OK, HELLO);
            } else if (path.equals("/echo")) {
                text(context, request, HttpResponseStatus.OK, ECHO);
            } else if (path.equals("/three")) {
                text(context, request, HttpResponseStatus.OK, THREE);
            } else if (path.startsWith("/files/") && path.lastIndexOf('/') == 6) {
                file(context, request, new File(files, path.substring(7)));
            } else {
                text(context, request, HttpResponseStatus.NOT_FOUND, NOT_FOUND);
            }
        }

        private void text(
                ChannelHandlerContext context,
                HttpRequest request,
                HttpResponseStatus status,
                Text text) {
            HttpResponse response =
                    new DefaultFullHttpResponse(
                            HTTP_1_1, status, text.body.duplicate(), UNCHECKED, TRAILERS);
            fields(request, response, HttpHeaderValues.TEXT_PLAIN, text.length);
            last(context, response);
        }

        private void file(ChannelHandlerContext context, HttpRequest request, File file) {
            if (!file.isFile()) {
                text(context, request, HttpResponseStatus.NOT_FOUND, NOT_FOUND);
                return;
            }
            long length = file.length();
            HttpResponse head = new DefaultHttpResponse(HTTP_1_1, HttpResponseStatus.OK, UNCHECKED);
            fields(request, head, BINARY, String.valueOf(length));
            context.write(head, context.voidPromise());
            context.write(new DefaultFileRegion(file, 0, length), context.voidPromise());
            last(context, LastHttpContent.EMPTY_LAST_CONTENT);
        }

        private void fields(
                HttpRequest request, HttpResponse response, AsciiString type, CharSequence length) {
            HttpHeaders headers = response.headers();
            headers.set(CONTENT_TYPE, type).set(CONTENT_LENGTH, length).set(DATE, date);
            if (closing || !HttpUtil.isKeepAlive(request)) {
                closing = true;
                headers.set(CONNECTION, HttpHeaderValues.CLOSE);
            } else if (!request.protocolVersion().isKeepAliveDefault()) {
                headers.set(CONNECTION, HttpHeaderValues.KEEP_ALIVE);
            }
        }

        private void last(ChannelHandlerContext context, Object message) {
            if (closing) {
                context.write(message).addListener(ChannelFutureListener.CLOSE);
            } else {
                context.write(message, context.voidPromise());
            }
        }
    }
}

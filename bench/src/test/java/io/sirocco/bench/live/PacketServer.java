// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Opens a session, and answers each packet behind that as a script says: for what no good server
 * does. Any thread.
 */
final class PacketServer implements AutoCloseable {
    /** What is to be done when a packet has come. */
    interface Script {
        void run(WebSocket socket, String packet);
    }

    final AtomicInteger goodByes = new AtomicInteger();
    final Set<WebSocket> members = ConcurrentHashMap.newKeySet();
    private final Server server;

    /** What answers POST /ticket, and may take its time. */
    volatile Supplier<Response> ticket = () -> Response.json("{\"ticket\":\"t\"}");

    PacketServer(Script script) {
        this(script, socket -> {});
    }

    /**
     * @param whenClosed told of each that is gone
     */
    PacketServer(Script script, Consumer<WebSocket> whenClosed) {
        var listener =
                new WebSocketListener() {
                    @Override
                    public void onOpen(WebSocket socket) {
                        socket.trySend("0{\"sid\":\"a\",\"pingInterval\":25000}");
                    }

                    @Override
                    public void onText(WebSocket socket, String packet) {
                        script.run(socket, packet);
                    }

                    @Override
                    public void onClose(WebSocket socket, WebSocket.Closed closed) {
                        if (closed.code() == 1000) {
                            goodByes.incrementAndGet();
                        }
                        whenClosed.accept(socket);
                    }
                };
        server =
                Server.start(
                        c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                        routes -> {
                            routes.get("/socket.io/", _ -> Response.webSocket(listener));
                            routes.post("/ticket", _ -> ticket.get());
                        });
    }

    /** Lets everybody in, and into the room. */
    boolean enters(WebSocket socket, String packet) {
        if (packet.startsWith("40")) {
            return socket.trySend("40{\"sid\":\"b\"}");
        }
        if (packet.startsWith("420[\"join\"")) {
            members.add(socket);
            return socket.trySend("430[]");
        }
        return false;
    }

    /** The number of a message that is being published; -1 when the packet does not. */
    static int number(String packet) {
        String begin = "42[\"publish\",\"bench\",\"m\",";
        return packet.startsWith(begin)
                ? Integer.parseInt(packet.substring(begin.length(), packet.lastIndexOf(',')))
                : -1;
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.addresses().getFirst();
    }

    @Override
    public void close() {
        server.stop(Duration.ofMillis(200));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.websocket.BlockingWebSocket;
import io.sirocco.http.websocket.ClientLoopContext;
import io.sirocco.http.websocket.WebSocketContext;
import io.sirocco.http.websocket.WebSocketGroup;
import io.sirocco.http.websocket.WebSocketOpening;
import io.sirocco.net.Connector;
import io.sirocco.net.Destination;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.TlsClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Opens WebSockets to servers (RFC 6455), any number of them on a few event loops. What is open is
 * the same {@link WebSocket} that a server has, with the same listeners and conversations.
 *
 * <pre>{@code
 * try (WebSocketClient client = WebSocketClient.start(c -> c.header("Authorization", "Bearer x"))) {
 *     WebSocket socket = client.connect(URI.create("ws://localhost:8080/echo"), listener).join();
 *     socket.send("hello");
 * }
 * }</pre>
 *
 * <p>Any thread.
 */
public final class WebSocketClient implements AutoCloseable {
    private final Loops loops;
    private final boolean owner;
    private final Map<Loop, ClientLoopContext> hubs = new ConcurrentHashMap<>();
    private final WebSocketGroup sockets;
    private final Headers headers;
    private final long connectMillis;
    private final long writeMillis;
    private volatile TlsClient tls; // null until it is needed
    private volatile boolean closed;

    private WebSocketClient(Loops loops, boolean owner, Consumer<WebSocketClientSettings> with) {
        var settings = new WebSocketClientSettings();
        with.accept(settings);
        this.loops = loops;
        this.owner = owner;
        this.sockets = settings.sockets.group;
        this.headers = settings.headers;
        this.connectMillis = settings.connect.toMillis();
        this.writeMillis = settings.write.toMillis();
        this.tls = settings.tls;
    }

    /**
     * One with an event loop of its own, which ends with it.
     *
     * @throws IOException when the loop cannot be had
     */
    public static WebSocketClient start(Consumer<WebSocketClientSettings> configure)
            throws IOException {
        Loops own =
                Loops.start(
                        s -> s.loops(1).name("sirocco-websocket").heldMillis(0).blockingMillis(0));
        try {
            return new WebSocketClient(own, true, configure);
        } catch (RuntimeException e) {
            own.close();
            throw e;
        }
    }

    /** One on loops that are somebody else's, and outlive it. */
    public static WebSocketClient on(Loops loops, Consumer<WebSocketClientSettings> configure) {
        return new WebSocketClient(loops, false, configure);
    }

    /**
     * Opens a socket to a {@code ws} or {@code wss} URL, whose messages {@code listener} is told
     * of. The addresses of its host are tried one after the other.
     *
     * @return completed, on the socket's loop, when it is open; or with the {@link IOException}
     *     that says why it is not: a {@link WebSocketRefused} when the server has answered
     *     something else
     */
    public CompletableFuture<WebSocket> connect(URI uri, WebSocketListener listener) {
        return connect(loops.next(), uri, Headers.none(), listener);
    }

    /** The same, with a conversation on a virtual thread of its own. */
    public CompletableFuture<WebSocket> connect(URI uri, WebSocketHandler conversation) {
        return connect(
                loops.next(),
                uri,
                Headers.none(),
                hub -> new BlockingWebSocket(conversation, hub, null));
    }

    /** The same on a loop of the caller's choice, and with fields for this one request. */
    public CompletableFuture<WebSocket> connect(
            Loop loop, URI uri, Headers fields, WebSocketListener listener) {
        return connect(loop, uri, fields, hub -> listener);
    }

    private CompletableFuture<WebSocket> connect(
            Loop loop,
            URI uri,
            Headers fields,
            Function<WebSocketContext, WebSocketListener> listener) {
        var attempt = new Attempt(loop, uri, fields, listener);
        String host = uri.getHost();
        if (isLiteral(host)) {
            attempt.to(List.of(InetAddress.ofLiteral(unbracketed(host))));
        } else {
            Thread.ofVirtual().start(attempt::resolve); // that may take its time
        }
        return attempt.outcome;
    }

    /**
     * The same to an address that is known: from one of several of our own, for example, since each
     * has ports for some 60,000 sockets to one server. The host of {@code uri} is what the server
     * is told, and what its certificate has to be for.
     */
    public CompletableFuture<WebSocket> connect(
            Loop loop, Destination to, URI uri, Headers fields, WebSocketListener listener) {
        var attempt = new Attempt(loop, uri, fields, hub -> listener);
        attempt.begin(to);
        return attempt.outcome;
    }

    private static boolean isLiteral(String host) {
        return host.startsWith("[") || host.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
    }

    private static String unbracketed(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /** How many sockets are open. */
    public int open() {
        return hubs.values().stream().mapToInt(hub -> hub.open).sum();
    }

    /** Says good-bye on all sockets, with 1001, and waits for the servers' answers: 5 s at most. */
    @Override
    public void close() {
        close(Duration.ofSeconds(5));
    }

    /** The same, waiting as long as is said; then what is left is cut off. */
    public void close(Duration longest) {
        closed = true;
        CompletableFuture<?>[] ends =
                hubs.values().stream()
                        .map(
                                hub -> {
                                    var end = new CompletableFuture<Void>();
                                    boolean runs = hub.execute(() -> hub.drain(end));
                                    return runs ? end : CompletableFuture.completedFuture(null);
                                })
                        .toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(ends).get(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // they had their time
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
        if (owner) {
            loops.close();
        }
    }

    private TlsClient tls() {
        if (tls == null) {
            tls = TlsClient.system();
        }
        return tls;
    }

    /** A socket on its way, to one address after the other. */
    private final class Attempt {
        final CompletableFuture<WebSocket> outcome = new CompletableFuture<>();
        private final Loop loop;
        private final URI uri;
        private final boolean secure;
        private final int port;
        private final Headers fields;
        private final Function<WebSocketContext, WebSocketListener> listener;

        Attempt(
                Loop loop,
                URI uri,
                Headers fields,
                Function<WebSocketContext, WebSocketListener> listener) {
            String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase();
            if (!scheme.equals("ws") && !scheme.equals("wss")
                    || uri.getHost() == null
                    || uri.getRawFragment() != null
                    || uri.getRawUserInfo() != null) {
                throw new IllegalArgumentException(
                        "A WebSocket URL is ws://host[:port]/path or wss://..., without user and"
                                + " fragment (RFC 6455 3), not '"
                                + uri
                                + "'.");
            }
            fields.forEach((name, value) -> WebSocketClientSettings.refuseOurs(name));
            if (closed) {
                throw new IllegalStateException("This client is closed.");
            }
            this.loop = loop;
            this.uri = uri;
            this.secure = scheme.equals("wss");
            this.port = uri.getPort() >= 0 ? uri.getPort() : secure ? 443 : 80;
            this.fields = headers.with(fields);
            this.listener = listener;
        }

        void resolve() {
            try {
                to(List.of(InetAddress.getAllByName(uri.getHost())));
            } catch (UnknownHostException e) {
                outcome.completeExceptionally(
                        new UnknownHostException("no address is known for " + uri.getHost()));
            }
        }

        void to(List<InetAddress> addresses) {
            next(new ArrayDeque<>(addresses), null);
        }

        private void next(ArrayDeque<InetAddress> addresses, Throwable failure) {
            InetAddress address = addresses.poll();
            if (address == null) {
                outcome.completeExceptionally(failure);
                return;
            }
            open(Destination.of(new InetSocketAddress(address, port)).within(connectMillis))
                    .whenComplete(
                            (socket, thrown) -> {
                                if (thrown == null) {
                                    outcome.complete(socket);
                                } else if (thrown instanceof WebSocketRefused) {
                                    outcome.completeExceptionally(thrown);
                                } else {
                                    next(addresses, thrown);
                                }
                            });
        }

        void begin(Destination to) {
            open(to).whenComplete(
                            (socket, thrown) -> {
                                if (thrown == null) {
                                    outcome.complete(socket);
                                } else {
                                    outcome.completeExceptionally(thrown);
                                }
                            });
        }

        private CompletableFuture<WebSocket> open(Destination to) {
            var opened = new CompletableFuture<WebSocket>();
            try {
                loop.execute(() -> open(to, opened));
            } catch (RejectedExecutionException e) {
                opened.completeExceptionally(new IOException("the event loop has stopped"));
            }
            return opened;
        }

        private void open(Destination to, CompletableFuture<WebSocket> opened) {
            if (closed) {
                opened.completeExceptionally(new IOException("the client is closed"));
                return;
            }
            try {
                ClientLoopContext hub =
                        hubs.computeIfAbsent(
                                loop, each -> new ClientLoopContext(each, writeMillis));
                var opening =
                        new WebSocketOpening(
                                hub,
                                sockets,
                                uri,
                                fields,
                                listener.apply(hub),
                                to.timeoutMillis(),
                                opened);
                Connector connector =
                        secure
                                ? tls().to(uri.getHost(), port, List.of("http/1.1"), opening)
                                : opening;
                loop.connect(to, connector);
            } catch (RuntimeException e) {
                opened.completeExceptionally(
                        new IOException("cannot connect to " + uri + ": " + e.getMessage(), e));
            }
        }
    }
}

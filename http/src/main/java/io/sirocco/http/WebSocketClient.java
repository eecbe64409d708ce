// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.h1.WebSocketOpening;
import io.sirocco.http.message.Authority;
import io.sirocco.http.websocket.BlockingWebSocket;
import io.sirocco.http.websocket.ClientLoopContext;
import io.sirocco.http.websocket.WebSocketContext;
import io.sirocco.http.websocket.WebSocketGroup;
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
 * A WebSocket client (RFC 6455): opens any number of sockets on a few event loops. The sockets are
 * the same {@link WebSocket}s as those of a server, with the same listeners, handlers, limits and
 * settings.
 *
 * <pre>{@code
 * try (WebSocketClient client = WebSocketClient.start(c -> c.header("Authorization", "Bearer x"))) {
 *     WebSocket socket = client.connect(URI.create("ws://localhost:8080/echo"), listener).join();
 *     socket.send("hello");
 * }
 * }</pre>
 *
 * <p>Redirects are not followed, and proxies are not supported. With {@code wss}, the certificate
 * must match the host of the URL.
 *
 * <p>Any thread.
 */
public final class WebSocketClient implements AutoCloseable {
    private final Loops loops;
    private final boolean owner;
    private final Map<Loop, ClientLoopContext> contexts = new ConcurrentHashMap<>();
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
     * Creates a client with an event loop of its own, which stops when the client is closed.
     *
     * @throws IOException if the loop cannot be started
     */
    public static WebSocketClient start(Consumer<WebSocketClientSettings> configure)
            throws IOException {
        Loops own = Loops.start(s -> s.loops(1).name("sirocco-websocket").withoutWatchdog());
        try {
            return new WebSocketClient(own, true, configure);
        } catch (RuntimeException e) {
            own.close();
            throw e;
        }
    }

    /** Creates a client on existing event loops, which it does not stop. */
    public static WebSocketClient on(Loops loops, Consumer<WebSocketClientSettings> configure) {
        return new WebSocketClient(loops, false, configure);
    }

    /**
     * Opens a socket to a {@code ws} or {@code wss} URL, served by a listener. The addresses of the
     * host are tried one after the other.
     *
     * @return a future that completes on the socket's event loop when the socket is open;
     *     exceptionally with an {@link IOException} that says what failed, which is a {@link
     *     WebSocketRefused} if the server responded without an upgrade
     * @throws IllegalArgumentException if the URL is not a WebSocket URL (RFC 6455 3)
     * @throws IllegalStateException if the client is closed
     */
    public CompletableFuture<WebSocket> connect(URI uri, WebSocketListener listener) {
        return connect(loops.next(), uri, Headers.none(), listener);
    }

    /**
     * Opens a socket to a {@code ws} or {@code wss} URL, served by a blocking handler on a virtual
     * thread of its own. See {@link #connect(URI, WebSocketListener)}.
     */
    public CompletableFuture<WebSocket> connect(URI uri, WebSocketHandler handler) {
        return connect(
                loops.next(),
                uri,
                Headers.none(),
                context -> new BlockingWebSocket(handler, context, null));
    }

    /**
     * Opens a socket on a given event loop of this client, with additional headers for this
     * request. See {@link #connect(URI, WebSocketListener)}.
     *
     * @param headers headers of the handshake request
     * @throws IllegalArgumentException if the handshake sets one of the headers itself
     */
    public CompletableFuture<WebSocket> connect(
            Loop loop, URI uri, Headers headers, WebSocketListener listener) {
        return connect(loop, uri, headers, context -> listener);
    }

    private CompletableFuture<WebSocket> connect(
            Loop loop,
            URI uri,
            Headers fields,
            Function<WebSocketContext, WebSocketListener> listener) {
        var attempt = new Attempt(loop, uri, fields, listener);
        Authority.literal(attempt.host)
                .ifPresentOrElse(
                        address -> attempt.to(List.of(address)),
                        () -> Thread.ofVirtual().start(attempt::lookUp)); // which may block
        return attempt.outcome;
    }

    /**
     * Opens a socket to a given address, without a lookup of the host. Use it to connect from
     * several local addresses, for example, since each has ports for about 60,000 sockets to one
     * server. See {@link #connect(URI, WebSocketListener)}.
     *
     * @param to the address to connect to
     * @param uri the URL; its host is sent to the server and must match its certificate
     * @param headers headers of the handshake request
     * @throws IllegalArgumentException if the handshake sets one of the headers itself
     */
    public CompletableFuture<WebSocket> connect(
            Loop loop, Destination to, URI uri, Headers headers, WebSocketListener listener) {
        var attempt = new Attempt(loop, uri, headers, context -> listener);
        attempt.begin(to);
        return attempt.outcome;
    }

    /** Returns the number of open sockets. */
    public int open() {
        return contexts.values().stream().mapToInt(context -> context.open).sum();
    }

    /**
     * Closes all sockets with 1001 and waits up to 5 s for the servers' replies; does not wait on
     * the thread of an event loop.
     */
    @Override
    public void close() {
        close(Duration.ofSeconds(5));
    }

    /**
     * Closes all sockets with 1001, waits up to {@code timeout} for the servers' replies, then
     * stops its own event loop, which closes the remaining connections. Does not wait on the thread
     * of an event loop.
     */
    public void close(Duration timeout) {
        closed = true;
        CompletableFuture<?>[] ends =
                contexts.values().stream()
                        .map(
                                context -> {
                                    var end = new CompletableFuture<Void>();
                                    boolean runs = context.execute(() -> context.drain(end));
                                    return runs ? end : CompletableFuture.completedFuture(null);
                                })
                        .toArray(CompletableFuture[]::new);
        try {
            if (!Loop.isLoopThread()) {
                CompletableFuture.allOf(ends).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            }
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

    /** An attempt to open a socket, which tries one address after the other. */
    private final class Attempt {
        final CompletableFuture<WebSocket> outcome = new CompletableFuture<>();
        private final Loop loop;
        private final URI uri;
        private final boolean secure;
        private final String host;
        private final int port;
        private final Headers fields;
        private final Function<WebSocketContext, WebSocketListener> listener;

        Attempt(
                Loop loop,
                URI uri,
                Headers fields,
                Function<WebSocketContext, WebSocketListener> listener) {
            String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase();
            boolean tls = scheme.equals("wss");
            HostAndPort to = HostAndPort.of(uri, tls ? 443 : 80).orElse(null);
            if (!scheme.equals("ws") && !tls
                    || to == null
                    || uri.getRawFragment() != null
                    || HostAndPort.userInfo(uri).isPresent()) {
                throw new IllegalArgumentException(
                        "A WebSocket URL is ws://host[:port]/path or wss://..., with the ASCII form"
                                + " of a name (xn--...), without user and fragment (RFC 6455 3), not"
                                + " '"
                                + HostAndPort.redacted(uri.toString())
                                + "'.");
            }
            fields.forEach((name, value) -> WebSocketClientSettings.refuseOurs(name));
            if (closed) {
                throw new IllegalStateException("This client is closed.");
            }
            this.loop = loop;
            this.uri = uri;
            this.secure = tls;
            this.host = to.host();
            this.port = to.port();
            this.fields = headers.with(fields);
            this.listener = listener;
        }

        void lookUp() {
            try {
                to(List.of(InetAddress.getAllByName(host)));
            } catch (UnknownHostException e) {
                outcome.completeExceptionally(
                        new UnknownHostException("no address is known for " + host));
            } catch (RuntimeException e) {
                outcome.completeExceptionally(
                        new IOException("cannot look up " + host + ": " + e, e));
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
            open(Destination.of(new InetSocketAddress(address, port)).withTimeout(connectMillis))
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

        private Connector secured(Destination to, Connector opening) {
            TlsClient within = tls().withHandshakeTimeout(Duration.ofMillis(to.timeoutMillis()));
            return within.to(host, port, List.of("http/1.1"), opening);
        }

        private void open(Destination to, CompletableFuture<WebSocket> opened) {
            if (closed) {
                opened.completeExceptionally(new IOException("the client is closed"));
                return;
            }
            ClientLoopContext context =
                    contexts.computeIfAbsent(
                            loop, each -> new ClientLoopContext(each, writeMillis));
            var opening =
                    new WebSocketOpening(
                            context,
                            sockets,
                            uri,
                            fields,
                            listener.apply(context),
                            to.timeoutMillis(),
                            opened);
            try {
                loop.connect(to, secure ? secured(to, opening) : opening);
            } catch (RuntimeException e) {
                opening.failed(
                        new IOException("cannot connect to " + uri + ": " + e.getMessage(), e));
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.http.WebSocketClient;
import io.sirocco.http.WebSockets;
import io.sirocco.live.Arguments;
import io.sirocco.live.wire.Json;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A client of servers that speak Socket.IO 3 or 4 (Engine.IO 4, over WebSocket), Sirocco's and
 * others. It is itself the namespace {@code /}.
 *
 * <pre>{@code
 * try (LiveClient client = LiveClient.create("http://localhost:8080")) {
 *     client.on("motd", String.class, text -> System.out.println(text));
 *     client.connect();
 *     client.send("cookie_jar", new CookieJar(3));
 *     String id = client.request("whoami", Duration.ofSeconds(5), String.class);
 * }
 * }</pre>
 *
 * <p>It has one thread, an event loop, which also carries the virtual threads of its handlers where
 * it can; with {@link LiveClientSettings#loops} it has none. After {@link #close} none is left. Any
 * thread.
 */
public final class LiveClient implements LiveNamespace, AutoCloseable {
    final LiveClientSettings settings;
    final Loop loop;
    final Json json;
    final Turns turns;
    final Link link;
    final Channels channels = new Channels(this);
    final Ending ending = new Ending(this);
    private final Loops own; // null when they are somebody else's
    private final Channel root;
    private final AtomicBoolean woken = new AtomicBoolean();

    private LiveClient(URI uri, LiveClientSettings settings) throws IOException {
        this.settings = settings;
        this.own =
                settings.loops != null
                        ? null
                        : Loops.start(
                                s ->
                                        s.loops(1)
                                                .name("sirocco-live")
                                                .withoutWatchdog()
                                                .clock(settings.clock));
        this.loop = (own == null ? settings.loops : own).next();
        this.json = settings.json;
        this.turns = new Turns(loop, this::continueReading);
        this.link = new Link(this, sockets(), uri);
        this.root = channels.of("/");
    }

    private WebSocketClient sockets() {
        WebSockets spoken =
                WebSockets.of(
                        s ->
                                s.maxMessageBytes(settings.maxMessage)
                                        .ping(Duration.ZERO, Duration.ZERO) // the server pings
                                        .closeTimeout(settings.close));
        return WebSocketClient.on(
                own == null ? settings.loops : own,
                s -> {
                    s.sockets(spoken).connectTimeout(settings.connect);
                    if (settings.tls != null) {
                        s.tls(settings.tls);
                    }
                });
    }

    /** A client as below, with nothing set. */
    public static LiveClient create(String url) {
        return create(url, settings -> {});
    }

    /**
     * A client of the server at {@code url}, which is {@code http}, {@code https}, {@code ws} or
     * {@code wss}, a host, and a port if need be. It connects when it is told to. Each attempt asks
     * for the addresses of that host anew.
     *
     * @throws IllegalArgumentException for a URL or a setting that cannot be
     */
    public static LiveClient create(String url, Consumer<LiveClientSettings> configure) {
        var settings = new LiveClientSettings();
        configure.accept(settings);
        try {
            return new LiveClient(settings.uri(url), settings);
        } catch (IOException e) {
            throw new UncheckedIOException("no event loop can be had: " + e.getMessage(), e);
        }
    }

    /** The namespace of this name, the same at each call; {@code /admin} for example. */
    public LiveNamespace namespace(String name) {
        if (!name.startsWith("/") || name.contains(",") || name.contains("?")) {
            throw new IllegalArgumentException(
                    "A namespace begins with a slash, and has neither comma nor question mark; not '"
                            + name
                            + "'.");
        }
        return channels.of(name);
    }

    /** Calls {@code handler} each time that another attempt to connect will be made. */
    public LiveClient onReconnecting(Handler<Reconnecting> handler) {
        root.handlers.reconnecting.add(handler);
        return this;
    }

    // ---- the end

    /**
     * Leaves all namespaces and ends the connection: what was sent before is sent, what has come is
     * handled, all within the {@link LiveClientSettings#closeTimeout}; handlers that still run then
     * are interrupted. Returns when that is done, but at once when a handler calls it. From its
     * beginning on nothing more is taken.
     */
    @Override
    public void close() {
        ending.begin();
        if (turns.isCurrent() || loop.inLoop()) {
            Thread.ofVirtual().start(this::awaitEnd);
        } else {
            awaitEnd();
        }
    }

    private void awaitEnd() {
        ending.await();
        if (own != null) {
            own.close();
        }
    }

    boolean isClosing() {
        return ending.hasBegun();
    }

    // ---- for the link and the channels, on the loop

    Backoff backoff() {
        return new Backoff(settings.first, settings.most, settings.random);
    }

    /** Has the loop run {@code task}; false when it has ended. Any thread. */
    boolean execute(Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** There is something to send. Any thread. */
    void wake() {
        if (!woken.getAndSet(true)) {
            execute(
                    () -> {
                        woken.set(false);
                        link.pump();
                    });
        }
    }

    /** Whether an answer is waited for. */
    boolean asks() {
        return channels.asks();
    }

    void reconnecting(int attempt, long delayMillis, String why) {
        var news = new Reconnecting(attempt, Duration.ofMillis(delayMillis), why);
        turns.add(() -> root.handlers.tell(root.handlers.reconnecting, news), 0);
    }

    private void continueReading() {
        link.continueReading();
    }

    // ---- as the namespace "/"

    @Override
    public String name() {
        return root.name();
    }

    @Override
    public Optional<String> id() {
        return root.id();
    }

    @Override
    public boolean isConnected() {
        return root.isConnected();
    }

    @Override
    public CompletableFuture<Connected> connect() {
        return root.connect();
    }

    @Override
    public void leave() {
        root.leave();
    }

    @Override
    public <T> LiveClient on(String event, Class<T> type, Handler<? super T> handler) {
        root.on(event, type, handler);
        return this;
    }

    @Override
    public LiveClient on(String event, Handler<Arguments> handler) {
        root.on(event, handler);
        return this;
    }

    @Override
    public LiveClient off(String event) {
        root.off(event);
        return this;
    }

    @Override
    public LiveClient off(String event, Handler<?> handler) {
        root.off(event, handler);
        return this;
    }

    @Override
    public <T> LiveClient onRequest(String event, Class<T> type, Answerer<? super T> answerer) {
        root.onRequest(event, type, answerer);
        return this;
    }

    @Override
    public LiveClient onRequest(String event, Answerer<Arguments> answerer) {
        root.onRequest(event, answerer);
        return this;
    }

    @Override
    public LiveClient onConnected(Handler<Connected> handler) {
        root.onConnected(handler);
        return this;
    }

    @Override
    public LiveClient onDisconnected(Handler<Disconnected> handler) {
        root.onDisconnected(handler);
        return this;
    }

    @Override
    public LiveClient onRefused(Handler<Refused> handler) {
        root.onRefused(handler);
        return this;
    }

    @Override
    public LiveClient onError(Consumer<Throwable> handler) {
        root.onError(handler);
        return this;
    }

    @Override
    public boolean send(String event, Object... arguments) {
        return root.send(event, arguments);
    }

    @Override
    public <T> T request(String event, Duration longest, Class<T> type, Object... arguments) {
        return root.request(event, longest, type, arguments);
    }

    @Override
    public long dropped() {
        return root.dropped();
    }
}

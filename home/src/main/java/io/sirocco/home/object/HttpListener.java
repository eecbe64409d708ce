// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.home.file.AtomicFile;
import io.sirocco.home.lua.ScriptThread.Scheduled;
import io.sirocco.home.lua.TaskCause;
import io.sirocco.http.BadRequest;
import io.sirocco.http.Config;
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.MediaType;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.Tls;
import io.sirocco.net.TlsSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * An HTTP server for scripts, class 120.
 *
 * <table>
 * <caption>Interface</caption>
 * <tr><td>features</td><td>of the request: 0 Path: one that a script sets is that of the requests
 *     that it receives, and of those below it; 1 Method, 2 Query, 3 RequestType, 4
 *     RequestHeaders, 5 RequestBody; of the response: 6 ResponseType, 7 ResponseHeaders, 8
 *     ResponseBody, 9 StatusCode (the last two are nil and 200 at the beginning of each request).
 *     {@link HttpBody} describes types and bodies. Of the server,
 *     beyond the vendor's interface: 10 Port (80), 11 TLS: 1 for HTTPS with {@code
 *     http/certificate.crt} and {@code http/key.pem} of the controller's folder, or with a
 *     self-signed certificate if they are missing, 12 Listening: whether the port is open</td></tr>
 * <tr><td>methods</td><td>0 SendResponse: sends features 6 to 9, also from a later task; 1
 *     Clear: forgets features 0 to 9, and with Path that of its requests</td></tr>
 * <tr><td>events</td><td>0 OnRequest</td></tr>
 * </table>
 *
 * <p>Requests are handled one after the other: the features stay until the response is sent. 100
 * may wait; a client that is one too many gets 503, and one that disconnects leaves the queue.
 * Other responses that no script sends: 404 without a handler, 500 when a handler fails, 504 after
 * 30 s without SendResponse, 400 for a body that is not of its type, 413 for more than 1 MiB, 408
 * for a body that takes longer than 10 s and a second for each 64 KiB, 503 for one that {@link
 * BodyBudget} has no room for, while too many tasks wait for the scripts, and when they end.
 *
 * <p>SendResponse in a handler, and in what the handler has begun (a timer, a request of its own),
 * responds to the request of that handler. If that has its response already, for example 504, it is
 * an error, and nothing is sent. Anywhere else it responds to the request that is handled now.
 *
 * <p>The port opens 250 ms after {@code SYSTEM.Init()}, so that OnInit can set it. Several objects
 * can have one port: a request is for the one with the longest Path that it begins with, and 404 if
 * there is none. Paths are compared decoded, and are not normalised. If a port is in use, binding
 * it is tried again each second. Confined to the thread of the scripts.
 */
final class HttpListener extends StandardObject {
    private static final int PATH = 0;
    private static final int METHOD = 1;
    private static final int REQUEST_BODY = 5;
    private static final int RESPONSE_TYPE = 6;
    private static final int RESPONSE_HEADERS = 7;
    private static final int RESPONSE_BODY = 8;
    private static final int STATUS_CODE = 9;
    private static final int PORT = 10;
    private static final int TLS = 11;
    private static final int LISTENING = 12;
    private static final int SEND_RESPONSE = 0;
    private static final int CLEAR = 1;
    private static final int ON_REQUEST = 0;
    private static final int MAX_WAITING = 100;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration OPENING = Duration.ofMillis(250); // OnInit may set the port
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration BUSY = Duration.ofMillis(100); // the scripts are tried again
    private static final Duration BODY_GRACE = Duration.ofSeconds(10);
    private static final long BODY_RATE = 64 << 10; // bytes a second
    private static final int PIECE = 16 << 10; // the first part of a body
    private static final long MIN_MEMORY = 2 << 20;
    private static final long MAX_MEMORY = 64 << 20;
    private static final Duration DRAIN = Duration.ofMillis(200);
    private static final Duration STOP = Duration.ofSeconds(1);

    private final Queue<Exchange> waiting = new ArrayDeque<>();
    private final Set<Exchange> open = ConcurrentHashMap.newKeySet(); // without a response yet
    private final AtomicInteger accepted = new AtomicInteger();
    private final BodyBudget bodies;
    private Exchange current; // null for none
    private int port = 80;
    private boolean tls;
    private volatile boolean running; // between setUp and close
    private int run; // a port that opens is that of this run
    private boolean retrying; // says once that the port is in use
    private final HttpPorts ports;
    private volatile String ownPath = ""; // of its requests, without a slash at the end
    private HttpPorts.Shared server; // null for none; changes are guarded by this
    private Thread stopping; // ends the server before; null for none
    private boolean expiring; // the next is scheduled
    private Scheduled expiry = () -> {}; // of the oldest request, which expires first
    private Scheduled retry = () -> {};

    /** A request that waits for its response, and is the cause of tasks. */
    private static final class Exchange {
        final HttpListener listener;
        final String method;
        final String path;
        final CompletableFuture<Response> response = new CompletableFuture<>();
        long expires; // nanoseconds of the clock of the scripts
        private final AtomicBoolean taken = new AtomicBoolean();
        private final LuaValue query;
        private final LuaValue headers;
        private final Optional<MediaType> type;
        private byte[] body; // null when it has been parsed, or is not needed any more

        /**
         * @throws BadRequest if names of the query are not allowed
         */
        Exchange(HttpListener listener, Request request, byte[] body) {
            this.listener = listener;
            this.method = request.method();
            this.path = request.path();
            this.query = HttpBody.fields(request.query());
            this.headers = HttpHeaders.table(request.headers());
            this.type = request.contentType();
            this.body = body;
        }

        /** Returns whether its turn begins: not if the client has gone. Any thread. */
        boolean take() {
            return taken.compareAndSet(false, true);
        }

        /** Ends it without a turn of its own, if it has had none. Any thread. */
        boolean disconnect() {
            boolean ended = take();
            if (ended) {
                body = null;
                response.complete(busy("The client has disconnected."));
            }
            return ended;
        }

        /** Ends it with its state of the scripts. Any thread. */
        void reset() {
            response.complete(Response.text("The controller resets.").status(503));
        }

        /**
         * Returns the features 0 to 5.
         *
         * @throws IOException if the body is not of its type
         */
        LuaValue[] values() throws IOException {
            HttpBody kind = HttpBody.of(type, body.length);
            LuaValue content = kind.parse(body, type);
            body = null;
            return new LuaValue[] {
                LuaText.of(path),
                LuaText.of(method),
                query,
                LuaValue.valueOf(kind.ordinal()),
                headers,
                content
            };
        }
    }

    HttpListener(String name, ObjectContext context, HttpPorts ports) {
        this(name, context, ports, BodyBudget.OF_PROCESS);
    }

    HttpListener(String name, ObjectContext context, HttpPorts ports, BodyBudget bodies) {
        super(name, context);
        this.ports = ports;
        this.bodies = bodies;
        clear();
    }

    private void clear() {
        set(PATH, LuaValue.NIL);
        for (int index = METHOD; index <= RESPONSE_BODY; index++) {
            super.set(index, LuaValue.NIL);
        }
        super.set(STATUS_CODE, LuaValue.valueOf(200));
    }

    // ---- the server

    @Override
    public void setUp() {
        running = true;
        int opening = ++run;
        retry =
                context()
                        .scripts()
                        .schedule(name() + " opens its port", OPENING, () -> open(opening));
    }

    private void open(int opening) {
        if (!tls) {
            bind(opening, config -> config.listen(address()));
        } else if (run == opening) {
            Thread.ofVirtual().name("sirocco-home-tls").start(() -> openTls(opening));
        }
    }

    /** Reads the certificate, or makes one, which takes seconds; then binds. Not on the thread. */
    private void openTls(int opening) {
        Runnable bind;
        try {
            Tls certified = Tls.of(this::certificate);
            bind = () -> bind(opening, config -> config.listen(address(), certified));
        } catch (IllegalArgumentException e) {
            bind = () -> warn("it does not listen: " + e.getMessage());
        }
        Runnable next = bind;
        context()
                .scripts()
                .execute(
                        name() + " opens its port",
                        () -> {
                            if (run == opening) {
                                next.run();
                            }
                        });
    }

    private InetSocketAddress address() {
        return new InetSocketAddress(context().address(), port);
    }

    private void bind(int opening, Consumer<Config> listen) {
        if (run != opening) {
            return; // closed meanwhile
        }
        retry.cancel();
        try {
            HttpPorts.Shared bound =
                    ports.join(
                            port,
                            tls,
                            this,
                            shared ->
                                    Server.start(
                                            config -> configure(config, listen),
                                            routes -> routes.any("/*", shared::receive)));
            if (bound.isTaken(this)) {
                warn(
                        "port %d has another HttpListener with path \"%s\", which receives its"
                                        .formatted(port, ownPath)
                                + " requests: set feature 0, Path");
            }
            retrying = false;
            synchronized (this) {
                if (running) {
                    server = bound;
                    return;
                }
            }
            // Another thread has closed an abandoned one meanwhile.
            ports.leave(bound, this).ifPresent(each -> each.stop(Duration.ZERO));
        } catch (UncheckedIOException e) {
            if (!retrying) {
                warn("port " + port + ": " + e.getMessage() + "; it is tried again each second");
            }
            retrying = true;
            retry =
                    context()
                            .scripts()
                            .schedule(
                                    name() + " opens its port", RETRY, () -> bind(opening, listen));
        }
    }

    private void configure(Config config, Consumer<Config> listen) {
        listen.accept(config);
        config.loops(1)
                .name("sirocco-home-" + name())
                .executionMode(ExecutionMode.VIRTUAL)
                .maxBodyBytes(HttpBody.MAX_BYTES)
                .bodyTimeout(BODY_GRACE, BODY_RATE)
                .memoryLimit(
                        Math.clamp(Runtime.getRuntime().maxMemory() / 16, MIN_MEMORY, MAX_MEMORY))
                .maxConcurrentRequests(2 * MAX_WAITING)
                .handlerTimeout(TIMEOUT.plusSeconds(5));
    }

    private void certificate(TlsSettings settings) {
        Path folder = context().runtime().resolve("http");
        Path chain = folder.resolve("certificate.crt");
        Path key = folder.resolve("key.pem");
        if (Files.exists(chain) || Files.exists(key)) {
            settings.certificate(chain, key);
            return;
        }
        try {
            settings.selfSigned(AtomicFile.createFolder(folder));
        } catch (IOException e) {
            throw new IllegalArgumentException(folder + " cannot be created: " + e, e);
        }
    }

    /**
     * Responds to all requests, those included that the thread of the scripts has not seen, and
     * begins to end the server. Another thread may close the listener of an abandoned one.
     */
    @Override
    public void close() {
        HttpPorts.Shared bound;
        synchronized (this) {
            running = false;
            bound = server;
            server = null;
        }
        Optional<Server> last = bound == null ? Optional.empty() : ports.leave(bound, this);
        last.ifPresent(
                each ->
                        stopping =
                                Thread.ofVirtual()
                                        .name("sirocco-home-stop")
                                        .start(() -> each.stop(DRAIN)));
        open.forEach(Exchange::reset); // receive() ends those that come later
        run++;
        retry.cancel();
        expiry.cancel();
        expiring = false;
        current = null;
        waiting.clear();
    }

    /** Waits until the server has ended, which takes as long as a drain. */
    @Override
    public void awaitClose() {
        Thread ending = stopping;
        if (ending != null) {
            try {
                ending.join(STOP);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // ---- requests

    /** Returns how many requests wait for the one that is handled now. */
    int waiting() {
        return waiting.size();
    }

    /** Returns the path of its requests, decoded and without a slash at the end. Any thread. */
    String ownPath() {
        return ownPath;
    }

    /** Returns whether a request with a path, which is decoded, is for this one. Any thread. */
    boolean takes(String path) {
        String own = ownPath;
        return path.startsWith(own)
                && (path.length() == own.length() || path.charAt(own.length()) == '/');
    }

    /** Called on a virtual thread. */
    Response receive(Request request) throws IOException {
        if (accepted.incrementAndGet() > MAX_WAITING) {
            accepted.decrementAndGet();
            return busy("Too many requests wait.");
        }
        boolean handed = false;
        BodyBudget.Share share = null;
        try {
            share = bodies.begin(address(request));
            if (share == null) {
                return busy("Too many requests of this address have not arrived yet.");
            }
            byte[] body = read(request, share);
            share.arrived();
            if (body == null) {
                return busy("The bodies of requests fill the memory.");
            }
            var exchange = new Exchange(this, request, body);
            BodyBudget.Share held = share;
            handed = true; // from now on its response gives everything back
            CompletableFuture<Response> response =
                    exchange.response.whenComplete(
                            (done, failure) -> {
                                open.remove(exchange);
                                held.close();
                                accepted.decrementAndGet();
                            });
            open.add(exchange);
            if (!context().scripts().execute(name() + " request", () -> add(exchange))) {
                exchange.response.complete(busy("The scripts are busy."));
            } else if (!running) {
                exchange.reset(); // close() may not have seen it
            }
            request.onDisconnect(() -> disconnected(exchange));
            return Response.async(response);
        } finally {
            if (!handed) {
                accepted.decrementAndGet();
                if (share != null) {
                    share.close();
                }
            }
        }
    }

    private static Response busy(String why) {
        return Response.text(why).status(503).header("Retry-After", "1");
    }

    private static InetAddress address(Request request) {
        return request.remoteAddress() instanceof InetSocketAddress from
                ? from.getAddress()
                : InetAddress.getLoopbackAddress();
    }

    /**
     * Reads a body; returns null if there is no memory for it. An array grows as bytes arrive, so
     * that a client holds no more than it has sent.
     */
    private static byte[] read(Request request, BodyBudget.Share share) throws IOException {
        InputStream in = request.body().inputStream();
        int most = (int) request.body().length().orElse(HttpBody.MAX_BYTES);
        byte[] body = new byte[0];
        int length = 0;
        while (true) {
            if (length == body.length) {
                int capacity = Math.min(most, Math.max(2 * length, PIECE));
                if (capacity == length) {
                    if (in.read() >= 0) {
                        throw new BadRequest(413, "The body is longer than 1 MiB.");
                    }
                    return body;
                }
                if (!share.take(capacity - length)) {
                    return null;
                }
                body = Arrays.copyOf(body, capacity);
            }
            int n = in.read(body, length, body.length - length);
            if (n < 0) {
                return Arrays.copyOf(body, length);
            }
            length += n;
        }
    }

    /** Frees the place of a client in the queue; one that is handled already keeps it. */
    private void disconnected(Exchange exchange) {
        if (exchange.disconnect()) {
            context()
                    .scripts()
                    .execute(
                            name() + " disconnect",
                            () -> {
                                waiting.remove(exchange);
                                scheduleExpiry();
                            });
        }
    }

    private void add(Exchange exchange) {
        if (!running) {
            exchange.reset();
            return;
        }
        if (exchange.response.isDone()) {
            return; // the client has gone
        }
        if (!hasHandlers(ON_REQUEST)) {
            exchange.response.complete(Response.text("Not found").status(404));
            return;
        }
        exchange.expires = context().scripts().nanoTime() + TIMEOUT.toNanos();
        waiting.add(exchange);
        next();
        scheduleExpiry();
    }

    private void next() {
        while (current == null && !waiting.isEmpty()) {
            Exchange exchange = waiting.remove();
            if (exchange.take()) {
                current = exchange;
                Thread.ofVirtual().name("sirocco-home-parse").start(() -> parse(exchange));
            }
        }
    }

    /**
     * Parses the body of the current request, on a virtual thread; those that wait take no more
     * memory than they had on the wire.
     */
    private void parse(Exchange exchange) {
        Runnable next;
        try {
            LuaValue[] values = exchange.values();
            next = () -> TaskCause.run(exchange, () -> handle(exchange, values));
        } catch (IOException e) {
            next = () -> finish(exchange, Response.text(e.getMessage()).status(400));
        } catch (RuntimeException | Error e) { // or it would wait for its timeout
            warn("the request cannot be read: " + e);
            next = () -> finish(exchange, Response.text("Internal server error").status(500));
        }
        Runnable task = next;
        while (!context()
                        .scripts()
                        .execute(
                                name() + " request",
                                () -> {
                                    if (current == exchange) {
                                        task.run();
                                    }
                                })
                && !exchange.response.isDone()) {
            LockSupport.parkNanos(BUSY.toNanos()); // its timeout, or a reset, responds
        }
    }

    private void handle(Exchange exchange, LuaValue[] values) {
        boolean taken =
                deliver(
                        ON_REQUEST,
                        () -> {
                            for (int index = PATH; index <= REQUEST_BODY; index++) {
                                super.set(index, values[index]);
                            }
                            super.set(RESPONSE_BODY, LuaValue.NIL);
                            super.set(STATUS_CODE, LuaValue.valueOf(200));
                        },
                        failed -> {
                            if (failed) {
                                finish(
                                        exchange,
                                        Response.text("Internal server error").status(500));
                            }
                        });
        if (!taken) {
            finish(exchange, busy("The scripts are busy."));
        }
    }

    private Exchange oldest() {
        return current != null ? current : waiting.peek();
    }

    /** One timer for all: they expire in the order in which they have come. */
    private void scheduleExpiry() {
        Exchange oldest = oldest();
        if (oldest == null) {
            expiry.cancel();
            expiring = false;
        } else if (!expiring) {
            expiring = true;
            long wait = Math.max(0, oldest.expires - context().scripts().nanoTime());
            expiry = context().scripts().schedule(name(), Duration.ofNanos(wait), this::expire);
        }
    }

    private void expire() {
        expiry.cancel(); // this may be one that was cancelled when it was due
        expiring = true;
        long now = context().scripts().nanoTime();
        for (Exchange oldest = oldest();
                oldest != null && oldest.expires - now <= 0;
                oldest = oldest()) {
            waiting.remove(oldest);
            if (!oldest.response.isDone()) {
                warn("no SendResponse within " + TIMEOUT.toSeconds() + " s");
            }
            finish(oldest, Response.text("Gateway timeout").status(504));
        }
        expiring = false;
        scheduleExpiry();
    }

    private void finish(Exchange exchange, Response response) {
        exchange.response.complete(response);
        if (current == exchange) {
            current = null;
            next();
        }
        scheduleExpiry();
    }

    // ---- scripts

    @Override
    public LuaValue get(int index) {
        return switch (index) {
            case PORT -> LuaValue.valueOf(server == null ? port : server.port());
            case TLS -> bit(tls);
            case LISTENING -> bit(server != null);
            default -> super.get(index);
        };
    }

    @Override
    public void set(int index, LuaValue value) {
        switch (index) {
            case PORT -> port = (int) number("Port", value, 0, 65_535, port);
            case TLS -> tls = isOn(value);
            case PATH -> {
                super.set(index, value);
                String path = value.isnil() ? "" : decoded(LuaText.text(value).strip());
                String rooted = path.isEmpty() || path.startsWith("/") ? path : "/" + path;
                ownPath = rooted.endsWith("/") ? rooted.substring(0, rooted.length() - 1) : rooted;
                return;
            }
            case LISTENING -> {
                readOnly("Listening");
                return;
            }
            default -> {
                super.set(index, value);
                return;
            }
        }
        if (running) {
            close();
            awaitClose();
            setUp();
        }
    }

    /** Returns a path that may be percent-encoded, decoded; one that cannot be is as it is. */
    private static String decoded(String path) {
        try {
            return URLDecoder.decode(path.replace("+", "%2B"), UTF_8); // a plus is no space here
        } catch (IllegalArgumentException e) {
            return path;
        }
    }

    @Override
    public Varargs execute(int method, Varargs arguments) {
        switch (method) {
            case SEND_RESPONSE -> send();
            case CLEAR -> clear();
            default -> {
                return super.execute(method, arguments);
            }
        }
        return LuaValue.NIL;
    }

    private void send() {
        Exchange exchange =
                TaskCause.current()
                        .filter(Exchange.class::isInstance)
                        .map(Exchange.class::cast)
                        .filter(cause -> cause.listener == this)
                        .orElse(current);
        if (exchange == null) {
            throw new LuaError(name() + ":SendResponse: no request waits for a response");
        }
        if (exchange.response.isDone()) {
            throw new LuaError(
                    name()
                            + ":SendResponse: its request, "
                            + exchange.method
                            + " "
                            + exchange.path
                            + ", has a response already; nothing is sent");
        }
        Response response;
        try {
            response = response();
        } catch (LuaError | IllegalArgumentException e) {
            finish(exchange, Response.text("Internal server error").status(500));
            throw new LuaError(name() + ":SendResponse: " + e.getMessage());
        }
        finish(exchange, response);
    }

    private Response response() {
        LuaValue body = get(RESPONSE_BODY);
        HttpBody type =
                HttpBody.of(get(RESPONSE_TYPE))
                        .orElse(
                                body.isnil()
                                        ? HttpBody.NONE
                                        : body instanceof LuaTable ? HttpBody.JSON : HttpBody.TEXT);
        int status = (int) number("StatusCode", get(STATUS_CODE), 200, 599, 500);
        byte[] bytes = type.write(body);
        Response response =
                bytes.length == 0
                        ? Response.empty(status)
                        : Response.bytes(bytes).status(status).contentType(contentType(type));
        var changed = new Response[] {response};
        HttpHeaders.forEach(
                get(RESPONSE_HEADERS),
                (header, value) -> {
                    try {
                        changed[0] = changed[0].setHeader(header, value);
                    } catch (IllegalArgumentException e) {
                        warn("the header " + header + " is not sent: " + e.getMessage());
                    }
                });
        return changed[0];
    }

    private static String contentType(HttpBody type) {
        return type.contentType().isEmpty() ? "application/octet-stream" : type.contentType();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.locks;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Config;
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.http.SseSink;
import io.sirocco.net.Loop;
import io.sirocco.net.TransportKind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A server with two loops whose handlers use a {@link SharedLock} between reading the request and
 * writing the response. Any thread.
 */
public final class LockedServer implements AutoCloseable {
    /** Paths of handlers in all modes, to be followed by a number. */
    public static final List<String> HANDLERS =
            List.of(
                    "GET /inline/",
                    "GET /virtual/",
                    "POST /inline/",
                    "GET /inline/",
                    "POST /virtual/",
                    "GET /loop/");

    /** Paths of responses that are completed or written later. */
    public static final List<String> LATER =
            List.of("GET /async-inline/", "GET /inline/", "GET /async-virtual/", "GET /stream/");

    private static final int EVENTS = 3;
    private static final long STOP_SECONDS = 8;

    private final SharedLock lock;
    private final Server server;

    /** Starts one with {@code more} routes. */
    public LockedServer(
            TransportKind transport,
            SharedLock lock,
            Consumer<Config> config,
            Consumer<Routes> more) {
        this.lock = lock;
        this.server =
                Server.start(
                        c -> {
                            c.loops(2).transport(transport);
                            config.accept(c);
                        },
                        routes -> {
                            routes(routes);
                            more.accept(routes);
                        });
    }

    /** Starts one on a port that the system chooses. */
    public LockedServer(TransportKind transport, SharedLock lock, Consumer<Routes> more) {
        this(transport, lock, config -> config.listen(new InetSocketAddress("127.0.0.1", 0)), more);
    }

    private void routes(Routes routes) {
        for (ExecutionMode mode :
                List.of(ExecutionMode.INLINE, ExecutionMode.VIRTUAL, ExecutionMode.LOOP)) {
            String name = mode.name().toLowerCase(java.util.Locale.ROOT) + "/{id}";
            routes.route("GET", "/" + name, this::respond).executionMode(mode);
            routes.route("POST", "/" + name, this::echo).executionMode(mode);
            routes.route("GET", "/async-" + name, this::completeOnOtherLoop).executionMode(mode);
        }
        // On the loop for good: elsewhere a writer waits for the loop with the lock in its hands.
        routes.route("GET", "/stream/{id}", request -> Response.stream(out -> write(request, out)))
                .executionMode(ExecutionMode.LOOP);
        routes.route("GET", "/events/{id}", request -> Response.events(sink -> send(request, sink)))
                .executionMode(ExecutionMode.LOOP);
    }

    /** What was read of the request before the wait is still there behind it. */
    private Response respond(Request request) {
        int id = id(request);
        lock.use();
        assertEquals(id, id(request));
        return Response.bytes(Pattern.of(id));
    }

    private Response echo(Request request) throws IOException {
        lock.use();
        byte[] body = request.body().bytes();
        Pattern.check(id(request), body);
        lock.use();
        Pattern.check(id(request), body);
        return Response.bytes(body);
    }

    private Response completeOnOtherLoop(Request request) {
        int id = id(request);
        List<Loop> loops = server.loops();
        var response = new CompletableFuture<Response>();
        loops.get(loops.size() - 1 - request.loop().index())
                .execute(
                        () -> {
                            lock.use();
                            response.complete(Response.bytes(Pattern.of(id)));
                        });
        lock.use();
        assertEquals(id, id(request));
        return Response.async(response);
    }

    private void write(Request request, OutputStream out) throws IOException {
        byte[] body = Pattern.of(id(request));
        out.write(body, 0, body.length / 2);
        lock.use();
        out.flush();
        lock.use(() -> out.write(body, body.length / 2, body.length - body.length / 2));
    }

    private void send(Request request, SseSink sink) throws IOException {
        for (int i = 0; i < EVENTS; i++) {
            lock.use(() -> sink.send(request.param("id")));
        }
    }

    /** The number of a request, which stands in its path and in a header. */
    private static int id(Request request) {
        String id = request.param("id");
        assertEquals(id, request.header("X-Id").orElse("none"));
        return Integer.parseInt(id);
    }

    /** The port. */
    public int port() {
        return server.port();
    }

    /** The lock. */
    public SharedLock lock() {
        return lock;
    }

    /** Asks on one connection, so many requests at once, which go to {@code paths} in turn. */
    public static ClosedLoop.Talk talk(
            Caller caller, int connection, int atOnce, List<String> paths) {
        return new ClosedLoop.Talk() {
            private int id(int number, int i) {
                return connection * 10_000 + number * atOnce + i;
            }

            private String path(int id) {
                return paths.get((id + connection) % paths.size());
            }

            @Override
            public void ask(int number) throws IOException {
                var all = new ByteArrayOutputStream();
                for (int i = 0; i < atOnce; i++) {
                    int id = id(number, i);
                    all.writeBytes(request(path(id), id));
                }
                byte[] bytes = all.toByteArray();
                int cut = atOnce == 1 ? bytes.length : id(number, 0) * 31 % bytes.length;
                caller.send(Arrays.copyOf(bytes, cut));
                if (cut < bytes.length) {
                    caller.send(Arrays.copyOfRange(bytes, cut, bytes.length));
                }
            }

            @Override
            public void receive(int number) throws IOException {
                for (int i = 0; i < atOnce; i++) {
                    int id = id(number, i);
                    check(path(id), id, caller.receive());
                }
            }

            @Override
            public void close() throws IOException {
                caller.close();
            }
        };
    }

    /** A request to {@code path}, with a body if that begins with {@code POST}. */
    public static byte[] request(String path, int id) {
        byte[] body = path.startsWith("POST") ? Pattern.of(id) : new byte[0];
        String head =
                "%s%d HTTP/1.1\r\nHost: a\r\nX-Id: %d\r\n%s\r\n"
                        .formatted(
                                path,
                                id,
                                id,
                                body.length > 0 ? "Content-Length: " + body.length + "\r\n" : "");
        var all = new ByteArrayOutputStream();
        all.writeBytes(head.getBytes(ISO_8859_1));
        all.writeBytes(body);
        return all.toByteArray();
    }

    private static void check(String path, int id, Caller.Answer answer) {
        if (path.equals("GET /fails/")) {
            assertEquals(500, answer.status());
            return;
        }
        assertEquals(200, answer.status(), () -> path + id + "\n" + answer.head());
        if (path.equals("GET /events/")) {
            assertEquals(
                    "data: %d\n\n".formatted(id).repeat(EVENTS),
                    new String(answer.body(), ISO_8859_1));
        } else {
            Pattern.check(id, answer.body());
        }
    }

    /** Stops it: all loops end, and nothing is in progress. */
    @Override
    public void close() {
        stop(server);
    }

    /** Starts a server with one loop, on a port of its own. */
    static Server withOneLoop(TransportKind transport, Consumer<Routes> routes) {
        return Server.start(
                config ->
                        config.listen(new InetSocketAddress("127.0.0.1", 0))
                                .loops(1)
                                .transport(transport),
                routes);
    }

    /** Stops a server, which may not be able to, with nothing in progress. */
    public static void stop(Server server) {
        var drained = new CompletableFuture<Boolean>();
        Thread.ofPlatform()
                .daemon()
                .name("stop")
                .start(() -> drained.complete(server.stop(Duration.ofSeconds(STOP_SECONDS / 2))));
        try {
            assertTrue(drained.get(STOP_SECONDS, TimeUnit.SECONDS), "requests were in progress");
        } catch (TimeoutException e) {
            throw new AssertionError("the server does not stop", e);
        } catch (ExecutionException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

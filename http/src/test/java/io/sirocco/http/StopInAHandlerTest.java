// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Code that its server waits for, such as a handler, a callback or a monitor, and that stops that
 * server, is told so, instead of waiting for itself.
 */
@Timeout(60)
class StopInAHandlerTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private static String stopped(Server server) {
        try {
            server.stop(LONG);
            return "stopped";
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
    }

    @Test
    void stopRefuses() throws Exception {
        for (Mode mode : Mode.values()) {
            var self = new AtomicReference<Server>();
            try (var serving =
                            new Serving(
                                    TransportKind.AUTO,
                                    mode,
                                    c -> {},
                                    routes ->
                                            routes.get(
                                                            "/stop",
                                                            r -> Response.text(stopped(self.get())))
                                                    .get(
                                                            "/write",
                                                            r ->
                                                                    Response.stream(
                                                                            (BodyWriter)
                                                                                    out ->
                                                                                            out
                                                                                                    .write(
                                                                                                            stopped(
                                                                                                                            self
                                                                                                                                    .get())
                                                                                                                    .getBytes())))
                                                    .get(
                                                            "/later",
                                                            r -> {
                                                                Thread.startVirtualThread(
                                                                        () ->
                                                                                self.get()
                                                                                        .stop(
                                                                                                LONG));
                                                                return Response.text("soon");
                                                            }));
                    Client client = serving.client()) {
                self.set(serving.server);
                client.send("GET /stop HTTP/1.1\nHost: a\n\nGET /write HTTP/1.1\nHost: a\n\n");
                client.send("GET /later HTTP/1.1\nHost: a\n\n");
                String all = client.untilEnd();
                String first =
                        mode == Mode.INLINE ? "An event loop" : "A handler, callback or monitor";
                assertTrue(all.contains(first + " cannot stop its own server"), mode + all);
                assertTrue(
                        all.indexOf(
                                        "A handler, callback or monitor cannot stop",
                                        all.indexOf("200 OK", 20))
                                > 0,
                        mode + all);
                assertTrue(all.contains("soon"), mode + all);
                client.abort(); // or the server waits two seconds for its end
                serving.await("the server to stop", () -> !serving.server.isRunning());
            }
        }
    }

    private static final String CLOSES = "GET /ends HTTP/1.1\nHost: a\nConnection: close\n\n";

    @Test
    void stopRefusesInOnComplete() throws Exception {
        refuses(CLOSES, stop -> Monitor.NONE);
    }

    @Test
    void stopRefusesInOnDisconnect() throws Exception {
        refuses("GET /gone HTTP/1.1\nHost: a\n\n", stop -> Monitor.NONE);
    }

    @Test
    void stopRefusesInAMonitor() throws Exception {
        refuses(
                CLOSES.replace("ends", "other"),
                stop ->
                        new Monitor() {
                            @Override
                            public void completed(CompletedRequest request) {
                                stop.run();
                            }
                        });
        refuses(
                CLOSES.replace("ends", "other"),
                stop ->
                        new Monitor() {
                            @Override
                            public void closed(ClosedConnection connection) {
                                stop.run();
                            }
                        });
        refuses(
                "GET /other HTTP/1.1\n\n",
                stop ->
                        new Monitor() {
                            @Override
                            public void rejected(RejectedRequest request) {
                                stop.run();
                            }
                        });
    }

    /** Sends {@code request}, for which the server, or this monitor, is to call its argument. */
    private static void refuses(String request, Function<Runnable, Monitor> monitor)
            throws Exception {
        for (Mode mode : Mode.values()) {
            var self = new AtomicReference<Server>();
            var results = new LinkedBlockingQueue<String>();
            Runnable stop = () -> results.add(stopped(self.get()));
            try (var serving =
                            new Serving(
                                    TransportKind.AUTO,
                                    mode,
                                    c -> c.monitor(monitor.apply(stop)),
                                    routes ->
                                            routes.get("/other", r -> Response.text("other"))
                                                    .get(
                                                            "/ends",
                                                            r -> {
                                                                r.onComplete(stop);
                                                                return Response.text("ends");
                                                            })
                                                    .get(
                                                            "/gone",
                                                            r -> {
                                                                var later =
                                                                        new CompletableFuture<
                                                                                Response>();
                                                                r.onDisconnect(
                                                                        () -> {
                                                                            stop.run();
                                                                            later.cancel(false);
                                                                        });
                                                                return Response.async(later);
                                                            }));
                    Client client = serving.client()) {
                self.set(serving.server);
                client.send(request).end();
                String result = results.poll(30, TimeUnit.SECONDS);
                assertTrue(
                        result != null && result.contains("cannot stop its own server"),
                        mode + ": " + result);
                serving.await("the callback to end", () -> serving.stats().inProgress() == 0);
                assertTrue(serving.server.isRunning());
            }
        }
    }

    /** It does not wait for the one that is in progress either, which waits for the handler. */
    @Test
    void stopRefusesBesideAnotherStop() throws Exception {
        for (Mode mode : new Mode[] {Mode.VIRTUAL, Mode.UNCARRIED, Mode.POOL}) {
            var self = new AtomicReference<Server>();
            try (var serving =
                            new Serving(
                                    TransportKind.AUTO,
                                    mode,
                                    c -> {},
                                    routes ->
                                            routes.get(
                                                    "/stop",
                                                    r -> {
                                                        int port = self.get().port();
                                                        Thread.startVirtualThread(
                                                                () -> self.get().stop(LONG));
                                                        awaitRefusal(port);
                                                        return Response.text(stopped(self.get()));
                                                    }));
                    Client client = serving.client()) {
                self.set(serving.server);
                client.send("GET /stop HTTP/1.1\nHost: a\n\n");
                String all = client.untilEnd();
                assertTrue(all.contains("cannot stop its own server"), mode + all);
                client.abort();
                serving.await("the server to stop", () -> !serving.server.isRunning());
            }
        }
    }

    private static void awaitRefusal(int port) {
        Eventually.await("the server listens no more", () -> isRefused(port));
    }

    private static boolean isRefused(int port) {
        try (Socket _ = new Socket("127.0.0.1", port)) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}

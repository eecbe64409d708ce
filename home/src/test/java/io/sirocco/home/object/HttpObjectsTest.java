// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static io.sirocco.home.object.Scripts.call;
import static io.sirocco.home.object.Scripts.get;
import static io.sirocco.home.object.Scripts.set;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sirocco.home.mqtt.NoMqtt;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.VarArgFunction;

/** HTTP between scripts and the client and server of the JDK. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // sockets wait
class HttpObjectsTest {
    @TempDir Path runtime;
    private Scripts scripts;
    private StandardObjects objects;
    private final List<HomeObject> created = new ArrayList<>();

    @BeforeEach
    void start() {
        scripts = new Scripts("2026-11-27T12:00:00Z", runtime, new NoMqtt());
        objects = new StandardObjects(new FakeController(), runtime, "1.2.3");
    }

    @AfterEach
    void stop() {
        created.forEach(HomeObject::close);
        objects.close();
    }

    private HomeObject create(int type) {
        HomeObject object =
                objects.create(type, "OBJ" + created.size(), scripts.context()).orElseThrow();
        created.add(object);
        return object;
    }

    private static void handle(HomeObject object, int event, Runnable action) {
        object.addEvent(
                event,
                new VarArgFunction() {
                    @Override
                    public Varargs invoke(Varargs arguments) {
                        action.run();
                        return NONE;
                    }
                });
    }

    @Nested
    class OfHttpListener {
        private final HttpClient client = HttpClient.newHttpClient();
        private HomeObject listener;

        @BeforeEach
        void listen() {
            listener = create(120);
            set(listener, 10, 0);
        }

        @AfterEach
        void end() {
            client.close();
        }

        private void open(HomeObject each) {
            each.setUp();
            assertEquals("0", get(each, 12));
            scripts.thread.advance(Duration.ofMillis(250));
        }

        private java.net.http.HttpRequest.Builder request(String path) {
            return java.net.http.HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:" + get(listener, 10) + path));
        }

        private CompletableFuture<HttpResponse<String>> send(
                java.net.http.HttpRequest.Builder request) {
            return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
        }

        private HttpResponse<String> response(CompletableFuture<HttpResponse<String>> sent)
                throws InterruptedException {
            scripts.thread.runUntil(sent::isDone);
            return sent.join();
        }

        @Test
        void theStatusOfAResponseIsNotThatOfTheNext() throws Exception {
            handle(
                    listener,
                    0,
                    () -> {
                        if (get(listener, 0).equals("/no")) {
                            set(listener, 9, 404);
                            set(listener, 8, "not here");
                        }
                        call(listener, 0);
                    });
            open(listener);
            assertEquals(404, response(send(request("/no"))).statusCode());
            HttpResponse<String> next = response(send(request("/yes")));
            assertEquals(200, next.statusCode());
            assertEquals("", next.body());
        }

        /** Defect 6 of the reference: the body was in feature 3, and 5 was nil. */
        @Test
        void theBodyIsInFeature5() throws Exception {
            handle(
                    listener,
                    0,
                    () -> {
                        LuaValue body = listener.get(5);
                        set(listener, 6, 2);
                        listener.set(8, body.get("list"));
                        set(listener, 9, 201);
                        var headers = LuaValue.tableOf();
                        headers.set("X-Path", listener.get(0));
                        headers.set("X-Type", listener.get(3));
                        headers.set("X-Method", listener.get(1));
                        headers.set("X-Query", listener.get(2).get("q"));
                        headers.set("X-Header", listener.get(4).get("X-Mine"));
                        headers.set("Content-Length", "7");
                        listener.set(7, headers);
                        call(listener, 0);
                    });
            open(listener);
            HttpResponse<String> response =
                    response(
                            send(
                                    request("/a/b?q=x%20y")
                                            .header("Content-Type", "application/json")
                                            .header("X-Mine", "mine")
                                            .POST(
                                                    BodyPublishers.ofString(
                                                            "{\"list\":[1,\"ż\"]}"))));
            assertEquals(201, response.statusCode());
            assertEquals("[1,\"ż\"]", response.body());
            assertEquals("/a/b", response.headers().firstValue("X-Path").get());
            assertEquals("2", response.headers().firstValue("X-Type").get());
            assertEquals("POST", response.headers().firstValue("X-Method").get());
            assertEquals("x y", response.headers().firstValue("X-Query").get());
            assertEquals("mine", response.headers().firstValue("X-Header").get());
            assertEquals("application/json", response.headers().firstValue("Content-Type").get());
        }

        /** Two listeners of one port; a third has another path of it, and one all the others. */
        @Test
        void listenersOfOnePortAreToldApartByPath() throws Exception {
            var others = List.of(create(120), create(120), create(120));
            set(listener, 0, "/HAlistener");
            open(listener);
            int port = listener.get(10).toint();
            String[] paths = {"doors", "/HAlistener/lamps/", "/"};
            int free = freePort();
            close(listener);
            set(listener, 10, free);
            for (int i = 0; i < paths.length; i++) {
                set(others.get(i), 0, paths[i]);
                set(others.get(i), 10, free);
            }
            assertTrue(port > 0);
            var all = new ArrayList<>(others);
            all.add(listener);
            for (HomeObject each : all) {
                handle(
                        each,
                        0,
                        () -> {
                            set(each, 8, each.name() + " " + get(each, 0));
                            call(each, 0);
                        });
            }
            others.get(0).setUp();
            others.get(1).setUp();
            open(listener);
            assertEquals("1", get(others.get(0), 12));
            assertEquals("OBJ0 /HAlistener", response(send(request("/HAlistener"))).body());
            assertEquals("OBJ0 /HAlistener/x", response(send(request("/HAlistener/x"))).body());
            assertEquals("OBJ1 /doors", response(send(request("/doors"))).body());
            assertEquals(
                    "OBJ2 /HAlistener/lamps/1",
                    response(send(request("/HAlistener/lamps/1"))).body());
            assertEquals(404, response(send(request("/doorsteps"))).statusCode());
            others.get(2).setUp();
            scripts.thread.advance(Duration.ofMillis(250));
            assertEquals("OBJ3 /doorsteps", response(send(request("/doorsteps"))).body());
            others.get(0).close();
            assertEquals("OBJ3 /doors", response(send(request("/doors"))).body());
            set(others.get(0), 0, "");
            others.get(0).setUp();
            scripts.thread.advance(Duration.ofMillis(250));
            assertTrue(
                    scripts.thread
                            .warnings()
                            .toString()
                            .contains("OBJ1: port " + free + " has another"),
                    () -> scripts.thread.warnings().toString());
            assertEquals("OBJ0 /HAlistener", response(send(request("/HAlistener"))).body());
        }

        @Test
        void clearForgetsThePathOfTheListener() throws Exception {
            set(listener, 0, "/lamps");
            handle(
                    listener,
                    0,
                    () -> {
                        set(listener, 8, "all");
                        call(listener, 0);
                    });
            open(listener);
            assertEquals(404, response(send(request("/doors"))).statusCode());
            call(listener, 1);
            assertEquals("all", response(send(request("/doors"))).body());
        }

        /** Encoding does not lead around the listener of a path; the feature is as sent. */
        @Test
        void pathsOfListenersAreComparedDecoded() throws Exception {
            HomeObject admin = create(120);
            HomeObject spaced = create(120);
            int free = freePort();
            var all = List.of(listener, admin, spaced);
            String[] paths = {"/lamps", "/lamps/admin", "/lamps/a%20+b"};
            for (int i = 0; i < paths.length; i++) {
                HomeObject each = all.get(i);
                set(each, 10, free);
                set(each, 0, paths[i]);
                handle(
                        each,
                        0,
                        () -> {
                            set(each, 8, each.name() + " " + get(each, 0));
                            call(each, 0);
                        });
            }
            admin.setUp();
            spaced.setUp();
            open(listener);
            String[][] expected = {
                {"OBJ1", "/lamps/admin"},
                {"OBJ1", "/lamps/adm%69n"},
                {"OBJ1", "/%6Camps/admin/x"},
                {"OBJ1", "/lamps%2Fadmin"},
                {"OBJ2", "/lamps/a%20+b"},
                {"OBJ2", "/lamps/%61%20%2Bb"},
                {"OBJ0", "/lamps"},
                {"OBJ0", "/lamps//admin"},
                {"OBJ0", "/lamps/./admin"},
                {"OBJ0", "/lamps/a%20%20b"},
            };
            for (String[] each : expected) {
                assertEquals(
                        each[0] + " " + each[1], response(send(request(each[1]))).body(), each[1]);
            }
            assertEquals(404, response(send(request("/lamps%61"))).statusCode());
        }

        private void close(HomeObject each) {
            each.close();
            each.awaitClose();
        }

        private static int freePort() throws IOException {
            try (var socket = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
                return socket.getLocalPort();
            }
        }

        @Test
        void headersAreFoundInAnyCase() throws Exception {
            handle(
                    listener,
                    0,
                    () -> {
                        set(
                                listener,
                                8,
                                listener.get(4).get("authorization").tojstring()
                                        + " "
                                        + listener.get(4).get("X-MINE").tojstring()
                                        + " "
                                        + listener.get(4).get("X-Other").tojstring());
                        set(listener, 7, "X-One: 1\r\nx-two:2");
                        call(listener, 0);
                    });
            open(listener);
            HttpResponse<String> response =
                    response(
                            send(
                                    request("/")
                                            .header("Authorization", "Bearer t")
                                            .header("x-mine", "mine")));
            assertEquals("Bearer t mine nil", response.body());
            assertEquals("1", response.headers().firstValue("X-One").get());
            assertEquals("2", response.headers().firstValue("X-Two").get());
        }

        @Test
        void withoutAHandler404() throws Exception {
            open(listener);
            assertEquals(404, response(send(request("/"))).statusCode());
        }

        @Test
        void aFailedHandler500() throws Exception {
            handle(
                    listener,
                    0,
                    () -> {
                        throw new LuaError("wrong");
                    });
            open(listener);
            assertEquals(500, response(send(request("/"))).statusCode());
            assertEquals(500, response(send(request("/"))).statusCode(), "and the next");
        }

        @Test
        void withoutAResponse504() throws Exception {
            var seen = new ArrayList<String>();
            handle(listener, 0, () -> seen.add(get(listener, 0)));
            open(listener);
            var first = send(request("/1"));
            scripts.thread.runUntil(() -> seen.size() == 1);
            scripts.thread.advance(Duration.ofSeconds(30));
            assertEquals(504, response(first).statusCode());
            assertThrows(LuaError.class, () -> call(listener, 0));
        }

        /** A response that comes after 504 must not go to the client that is next. */
        @Test
        void aLateResponseGoesToNoOtherClient() throws Exception {
            HomeObject timer = create(6);
            HomeObject request = create(121);
            HttpServer slow = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
            var asked = new CompletableFuture<HttpExchange>();
            slow.createContext("/", asked::complete);
            slow.start();
            set(request, 0, "http://127.0.0.1:" + slow.getAddress().getPort());
            set(request, 4, 600);
            set(timer, 0, 31_000);
            var late = new ArrayList<String>();
            Runnable respondLate =
                    () -> {
                        set(listener, 8, "a secret");
                        late.add(
                                assertThrows(LuaError.class, () -> call(listener, 0)).getMessage());
                    };
            handle(timer, 0, respondLate);
            handle(request, 1, respondLate);
            var others = new ArrayList<CompletableFuture<HttpResponse<String>>>();
            var seen = new ArrayList<String>();
            handle(
                    listener,
                    0,
                    () -> {
                        seen.add(get(listener, 0));
                        if (seen.size() == 1) {
                            call(timer, 0);
                            call(request, 0);
                            scripts.thread.advance(Duration.ofSeconds(30)); // the handler waits
                            others.add(send(request("/other")));
                            awaitScheduled(2); // the timer, and the timeout of the other request
                            respondLate.run();
                        }
                    });
            open(listener);
            var first = send(request("/slow"));
            assertEquals(504, response(first).statusCode());
            var other = others.getFirst();
            scripts.thread.runUntil(() -> seen.size() == 2);
            scripts.thread.advance(Duration.ofSeconds(1)); // the timer
            HttpExchange exchange = asked.get();
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
            scripts.thread.runUntil(() -> late.size() == 3 || other.isDone());
            assertEquals(List.of(), scripts.thread.errors());
            set(listener, 8, "its own");
            call(listener, 0);
            assertEquals("its own", response(other).body());
            String expected =
                    "OBJ0:SendResponse: its request, GET /slow, has a response already; nothing is sent";
            assertEquals(List.of(expected, expected, expected), late);
            slow.stop(0);
        }

        private void awaitScheduled(int count) {
            try {
                scripts.thread.runUntil(() -> scripts.thread.scheduled() == count);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        private void awaitWaiting(int count) throws InterruptedException {
            scripts.thread.runUntil(() -> ((HttpListener) listener).waiting() == count);
        }

        @Test
        void aTimerOfTheHandlerResponds() throws Exception {
            HomeObject timer = create(6);
            set(timer, 0, 500);
            handle(timer, 0, () -> call(listener, 0));
            handle(listener, 0, () -> call(timer, 0));
            open(listener);
            for (String path : List.of("/1", "/2")) {
                var sent = send(request(path));
                scripts.thread.runUntil(() -> scripts.thread.scheduled() == 2);
                scripts.thread.advance(Duration.ofMillis(500));
                assertEquals(200, response(sent).statusCode());
            }
        }

        @Test
        void requestsWaitForTheResponseOfTheFirst() throws Exception {
            var seen = new ArrayList<String>();
            handle(listener, 0, () -> seen.add(get(listener, 0)));
            open(listener);
            var first = send(request("/1"));
            scripts.thread.runUntil(() -> seen.size() == 1);
            var second = send(request("/2"));
            awaitWaiting(1);
            assertEquals(List.of("/1"), seen);
            set(listener, 8, "one");
            call(listener, 0);
            assertEquals("one", response(first).body());
            scripts.thread.runUntil(() -> seen.size() == 2);
            set(listener, 8, "two");
            call(listener, 0);
            assertEquals("two", response(second).body());
            assertEquals(0, scripts.thread.scheduled());
        }

        @Test
        void bodiesThatAreRefused() throws Exception {
            handle(listener, 0, () -> call(listener, 0));
            open(listener);
            assertEquals(
                    400,
                    response(
                                    send(
                                            request("/")
                                                    .header("Content-Type", "application/json")
                                                    .POST(BodyPublishers.ofString("{"))))
                            .statusCode());
            assertEquals(
                    413,
                    response(
                                    send(
                                            request("/")
                                                    .POST(
                                                            BodyPublishers.ofByteArray(
                                                                    new byte[1_048_577]))))
                            .statusCode());
            assertEquals(
                    200,
                    response(
                                    send(
                                            request("/")
                                                    .POST(
                                                            BodyPublishers.ofByteArray(
                                                                    new byte[1_048_576]))))
                            .statusCode());
        }

        @Test
        void aChunkedBodyHasTheSameLimit() throws Exception {
            handle(listener, 0, () -> call(listener, 0));
            open(listener);
            for (int length : new int[] {1_048_576, 1_048_577}) {
                var body = new ByteArrayInputStream(new byte[length]);
                assertEquals(
                        length == 1_048_576 ? 200 : 413,
                        response(send(request("/").POST(BodyPublishers.ofInputStream(() -> body))))
                                .statusCode());
            }
        }

        /** A client sends headers and a part of the body, and then nothing. */
        @Test
        void slowBodiesOfAnAddressKeepNoOtherOut() throws Exception {
            handle(listener, 0, () -> call(listener, 0));
            open(listener);
            var slow = new ArrayList<Socket>();
            try {
                for (int i = 0; i < BodyBudget.READING; i++) {
                    slow.add(post("127.0.0.1", 100, 1));
                }
                try (Socket refused = post("127.0.0.1", 100, 100)) {
                    assertEquals("HTTP/1.1 503", status(refused));
                }
                try (Socket other = post("127.72.0.9", 100, 100)) {
                    assertEquals("HTTP/1.1 200", status(other));
                }
                slow.getFirst().getOutputStream().write(new byte[99]);
                assertEquals("HTTP/1.1 200", status(slow.getFirst()));
                try (Socket again = post("127.0.0.1", 100, 100)) {
                    assertEquals("HTTP/1.1 200", status(again));
                }
            } finally {
                for (Socket each : slow) {
                    each.close();
                }
            }
        }

        /** Half of the bytes for an address; they are free again after the response. */
        @Test
        void bodiesThatWaitAreBoundedInSum() throws Exception {
            var budget = new BodyBudget(2 << 20);
            listener = bounded(budget);
            handle(listener, 0, () -> call(listener, 0));
            open(listener);
            int most = 1 << 20;
            try (Socket first = post("127.0.0.1", most, most - 1)) {
                scripts.thread.runUntil(() -> budget.held() == most);
                try (Socket second = post("127.0.0.1", 1, 1)) {
                    assertEquals("HTTP/1.1 503", status(second));
                }
                try (Socket other = post("127.72.0.9", most, most)) {
                    assertEquals("HTTP/1.1 200", status(other));
                }
                assertEquals(most, budget.held());
                first.getOutputStream().write(0);
                assertEquals("HTTP/1.1 200", status(first));
            }
            assertEquals(0, budget.held());
        }

        /** Before, the body stayed in the budget of the process for ever. */
        @Test
        void aResetRespondsToARequestThatTheScriptsHaveNotSeen() throws Exception {
            var budget = new BodyBudget(2 << 20);
            listener = bounded(budget);
            open(listener);
            try (Socket sent = post("127.0.0.1", 100, 100)) {
                while (scripts.thread.waiting() == 0) {
                    LockSupport.parkNanos(200_000);
                }
                listener.close();
                scripts.thread.drop();
                assertEquals("HTTP/1.1 503", status(sent));
            }
            assertEquals(0, budget.held());
        }

        @Test
        void aClientThatDisconnectsLeavesTheQueue() throws Exception {
            var budget = new BodyBudget(2 << 20);
            listener = bounded(budget);
            var seen = new ArrayList<String>();
            handle(listener, 0, () -> seen.add(get(listener, 0)));
            open(listener);
            var first = send(request("/first"));
            scripts.thread.runUntil(() -> seen.size() == 1);
            Socket gone = post("127.0.0.1", 100, 100);
            awaitWaiting(1);
            assertEquals(100, budget.held());
            gone.close();
            awaitWaiting(0);
            assertEquals(0, budget.held());
            call(listener, 0);
            assertEquals(200, response(first).statusCode());
            assertEquals(List.of("/first"), seen);
        }

        /** A timer for each request could exhaust those of the thread. */
        @Test
        void requestsThatWaitHaveOneTimer() throws Exception {
            var seen = new ArrayList<String>();
            handle(listener, 0, () -> seen.add(get(listener, 0)));
            open(listener);
            var first = send(request("/1"));
            scripts.thread.runUntil(() -> seen.size() == 1);
            scripts.thread.advance(Duration.ofSeconds(10));
            var second = send(request("/2"));
            awaitWaiting(1);
            assertEquals(1, scripts.thread.scheduled());
            scripts.thread.advance(Duration.ofSeconds(20));
            assertEquals(504, response(first).statusCode());
            scripts.thread.runUntil(() -> seen.size() == 2);
            scripts.thread.advance(Duration.ofSeconds(10));
            assertEquals(504, response(second).statusCode());
            assertEquals(0, scripts.thread.scheduled());
        }

        /** Before, it kept all others waiting until its 504. */
        @Test
        void aRequestWhoseHandlerCannotRun503() throws Exception {
            handle(listener, 0, () -> call(listener, 0));
            open(listener);
            scripts.thread.refuse(name -> name.endsWith(" event 0"));
            assertEquals(503, response(send(request("/"))).statusCode());
            scripts.thread.refuse(name -> false);
            assertEquals(200, response(send(request("/"))).statusCode());
        }

        private HttpListener bounded(BodyBudget budget) {
            var bounded = new HttpListener("bounded", scripts.context(), new HttpPorts(), budget);
            created.add(bounded);
            set(bounded, 10, 0);
            return bounded;
        }

        private Socket post(String from, int length, int sent) throws IOException {
            var socket = new Socket();
            socket.bind(new InetSocketAddress(from, 0));
            socket.connect(new InetSocketAddress("127.0.0.1", Integer.parseInt(get(listener, 10))));
            socket.getOutputStream()
                    .write(
                            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + "\r\n\r\n")
                                    .getBytes(UTF_8));
            socket.getOutputStream().write(new byte[sent]);
            return socket;
        }

        private String status(Socket socket) throws Exception {
            var line = new CompletableFuture<String>();
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try {
                                    byte[] start = socket.getInputStream().readNBytes(12);
                                    line.complete(new String(start, UTF_8));
                                } catch (IOException e) {
                                    line.completeExceptionally(e);
                                }
                            });
            scripts.thread.runUntil(line::isDone);
            return line.join();
        }

        @Test
        void aValueWithoutAForm500() throws Exception {
            handle(
                    listener,
                    0,
                    () -> {
                        set(listener, 6, 2);
                        listener.set(8, scripts.globals.get("print"));
                        call(listener, 0);
                    });
            open(listener);
            assertEquals(500, response(send(request("/"))).statusCode());
        }

        @Test
        void severalListenersWithTls() throws Exception {
            HomeObject other = create(120);
            set(other, 10, 0);
            set(other, 11, 1);
            for (HomeObject each : List.of(listener, other)) {
                handle(
                        each,
                        0,
                        () -> {
                            set(each, 8, each.name());
                            call(each, 0);
                        });
                open(each);
            }
            assertEquals(listener.name(), response(send(request("/"))).body());
            scripts.thread.runUntil(() -> get(other, 12).equals("1"));
            try (HttpClient tls = HttpClient.newBuilder().sslContext(trustsAll()).build()) {
                var sent =
                        tls.sendAsync(
                                java.net.http.HttpRequest.newBuilder(
                                                URI.create("https://127.0.0.1:" + get(other, 10)))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString());
                assertEquals(other.name(), response(sent).body());
            }
        }

        @Test
        void aResetRespondsAndFreesThePort() throws Exception {
            var seen = new ArrayList<String>();
            handle(listener, 0, () -> seen.add(get(listener, 0)));
            open(listener);
            String port = get(listener, 10);
            var sent = send(request("/"));
            scripts.thread.runUntil(() -> seen.size() == 1);
            listener.close();
            listener.awaitClose();
            assertEquals(503, response(sent).statusCode());
            assertEquals(0, scripts.thread.scheduled());
            HomeObject next = create(120);
            set(next, 10, Integer.parseInt(port));
            open(next);
            assertEquals(port, get(next, 10));
            listener = next;
            assertEquals(404, response(send(request("/"))).statusCode());
        }

        @Test
        void onInitMaySetThePort() throws Exception {
            set(listener, 10, 1);
            listener.setUp();
            set(listener, 10, 0);
            scripts.thread.advance(Duration.ofMillis(250));
            assertEquals("1", get(listener, 12));
            assertEquals(404, response(send(request("/"))).statusCode());
            assertEquals(0, scripts.thread.scheduled());
        }

        @Test
        void aPortInUseIsTriedAgain() throws Exception {
            try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
                set(listener, 10, taken.getLocalPort());
                open(listener);
            }
            scripts.thread.advance(Duration.ofSeconds(1));
            assertEquals(404, response(send(request("/"))).statusCode());
        }

        private static SSLContext trustsAll() throws Exception {
            var context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new TrustAll()}, new SecureRandom());
            return context;
        }
    }

    /** Accepts the self-signed certificate of a test. */
    private static final class TrustAll extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Nested
    class OfHttpRequest {
        private final CountDownLatch release = new CountDownLatch(1);
        private HttpServer server;
        private HomeObject request;

        @BeforeEach
        void serve() throws IOException {
            server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.createContext("/echo", this::echo);
            server.createContext(
                    "/xml", exchange -> respond(exchange, "text/xml", "<r><a>1</a></r>"));
            server.createContext("/wrong", exchange -> respond(exchange, "application/json", "{"));
            server.createContext("/untyped", exchange -> respond(exchange, null, "{\"a\":1}"));
            server.createContext("/never", exchange -> wait(release));
            server.createContext(
                    "/large", exchange -> respond(exchange, "text/plain", "a".repeat(1_048_577)));
            server.start();
            request = create(121);
            scripts.record(request, 0, "sent");
            scripts.record(request, 1, "response");
            set(request, 0, "http://127.0.0.1:" + server.getAddress().getPort());
        }

        @AfterEach
        void end() {
            release.countDown();
            server.stop(0);
        }

        private static void wait(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void echo(HttpExchange exchange) throws IOException {
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            exchange.getResponseHeaders()
                    .set(
                            "X-Type",
                            String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type")));
            exchange.getResponseHeaders()
                    .set("X-Agent", exchange.getRequestHeaders().getFirst("User-Agent"));
            exchange.getResponseHeaders()
                    .set("X-Mine", String.valueOf(exchange.getRequestHeaders().getFirst("X-Mine")));
            respond(
                    exchange,
                    "text/plain; charset=utf-8",
                    exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body);
        }

        private static void respond(HttpExchange exchange, String type, String body)
                throws IOException {
            if (type != null) {
                exchange.getResponseHeaders().set("Content-Type", type);
            }
            byte[] bytes = body.getBytes(UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        }

        private void send() throws InterruptedException {
            call(request, 0);
            assertEquals("1", get(request, 12));
            scripts.thread.runUntil(() -> scripts.events.contains("response"));
            assertEquals(List.of("sent", "response"), scripts.events());
            assertEquals("0", get(request, 12));
        }

        /** As owners publish it: the header is a line, the host has no scheme. */
        @Test
        void aHostWithoutASchemeAndHeadersAsLines() throws Exception {
            set(request, 0, "127.0.0.1:" + server.getAddress().getPort());
            set(request, 1, "/echo");
            set(request, 7, "X-Mine: my value\r\nContent-Type: a/b\r\n");
            set(request, 3, "POST");
            set(request, 8, "body");
            send();
            assertEquals("POST /echo body", get(request, 10));
            assertEquals("my value", request.get(9).get("x-mine").tojstring());
            assertEquals("a/b", request.get(9).get("X-TYPE").tojstring());
            set(request, 7, "no colon");
            var wrong = assertThrows(LuaError.class, () -> call(request, 0));
            assertTrue(wrong.getMessage().contains("\"no colon\""), wrong.getMessage());
        }

        @Test
        void theTypeThatAScriptSetsDecides() throws Exception {
            server.createContext(
                    "/json", // whose Content-Type is wrong
                    exchange ->
                            respond(
                                    exchange,
                                    "text/html",
                                    "{\"accept\":\""
                                            + exchange.getRequestHeaders().getFirst("Accept")
                                            + "\"}"));
            set(request, 1, "/json");
            send();
            assertEquals("{\"accept\":\"null\"}", get(request, 10));
            assertEquals("5", get(request, 6));
            for (Object json : new Object[] {2, "JSON"}) {
                set(request, 6, json);
                for (int i = 0; i < 2; i++) {
                    send();
                    assertEquals("application/json", request.get(10).get("accept").tojstring());
                    assertEquals("2", get(request, 6));
                }
            }
            set(request, 7, "accept: x/y");
            send();
            assertEquals("x/y", request.get(10).get("accept").tojstring());
            set(request, 6, 1);
            send();
            assertEquals("{\"accept\":\"x/y\"}", get(request, 10));
        }

        @Test
        void getSendsNoBody() throws Exception {
            set(request, 1, "/echo/a b");
            request.set(2, scripts.lua("return {q = 'x&y', a = 1}"));
            set(request, 8, "not sent");
            send();
            assertEquals("200", get(request, 11));
            assertEquals("GET /echo/a%20b?a=1&q=x%26y ", get(request, 10));
            assertEquals("1", get(request, 6));
            assertEquals("Sirocco/1.2.3", request.get(9).get("X-agent").tojstring());
        }

        @Test
        void postSendsATableAsJson() throws Exception {
            set(request, 1, "echo");
            set(request, 2, "a=b");
            set(request, 3, "post");
            set(request, 5, 2);
            request.set(7, scripts.lua("return {['X-Mine'] = 'mine'}"));
            request.set(8, scripts.lua("return {1, 2}"));
            send();
            assertEquals("POST /echo?a=b [1,2]", get(request, 10));
            assertEquals("application/json", request.get(9).get("X-type").tojstring());
            assertEquals("mine", request.get(9).get("X-mine").tojstring());
        }

        @Test
        void responsesByType() throws Exception {
            set(request, 1, "/xml");
            send();
            assertEquals("1", request.get(10).get("a").tojstring());
            assertEquals("3", get(request, 6));
            set(request, 1, "/wrong");
            send();
            assertEquals("{", get(request, 10));
            set(request, 1, "/untyped");
            set(request, 6, 2);
            send();
            assertEquals("1", request.get(10).get("a").tojstring());
        }

        /** The warning of the parser comes while the thread of the scripts runs nothing. */
        @Test
        void aResponseIsParsedWhileScriptsAreBusy() throws Exception {
            set(request, 1, "/wrong");
            call(request, 0);
            while (scripts.thread.warnings().isEmpty()) {
                LockSupport.parkNanos(200_000);
            }
            assertEquals("nil", get(request, 10));
            scripts.thread.runUntil(() -> scripts.events.contains("response"));
            assertEquals("{", get(request, 10));
        }

        @Test
        void withoutAResponseTheStatusIs0() throws Exception {
            set(request, 1, "/never");
            set(request, 4, 0.2);
            send();
            assertEquals("0", get(request, 11));
            assertTrue(request.get(10).isnil());
            server.stop(0);
            set(request, 4, 10);
            set(request, 1, "/echo");
            send();
            assertEquals("0", get(request, 11));
        }

        @Test
        void aLargeResponseIsNone() throws Exception {
            set(request, 1, "/large");
            send();
            assertEquals("0", get(request, 11));
        }

        /** Before, Active stayed 1, and OnResponse never came. */
        @Test
        void theResponseWaitsForScriptsThatAreBusy() throws Exception {
            var refusals = new AtomicInteger();
            scripts.thread.refuse(
                    name -> name.endsWith(" response") && refusals.incrementAndGet() <= 2);
            set(request, 1, "/echo");
            call(request, 0);
            scripts.thread.runUntil(() -> scripts.events.contains("response"));
            assertEquals(3, refusals.get());
            assertEquals("0", get(request, 12));
        }

        @Test
        void onResponseWaitsForScriptsThatAreBusy() throws Exception {
            var refusals = new AtomicInteger();
            set(request, 1, "/echo");
            call(request, 0);
            scripts.thread.run(); // OnRequestSent
            scripts.thread.refuse(
                    name -> name.endsWith(" event 1") && refusals.incrementAndGet() <= 2);
            scripts.thread.runUntil(() -> refusals.get() == 1);
            assertEquals("1", get(request, 12));
            scripts.thread.advance(Duration.ofMillis(200));
            assertEquals(List.of("sent", "response"), scripts.events());
            assertEquals("0", get(request, 12));
            assertEquals("200", get(request, 11));
        }

        @Test
        void aNewRequestAbortsTheOld() throws Exception {
            set(request, 1, "/never");
            call(request, 0);
            set(request, 1, "/echo");
            call(request, 0);
            scripts.thread.runUntil(() -> scripts.events.contains("response"));
            assertEquals(List.of("sent", "sent", "response"), scripts.events());
            assertEquals("200", get(request, 11));
        }

        @Test
        void abortAndClear() {
            set(request, 1, "/never");
            call(request, 0);
            call(request, 1);
            assertEquals("0", get(request, 12));
            assertEquals(List.of("sent"), scripts.events());
            call(request, 2);
            assertEquals("nil", get(request, 0));
            assertEquals("GET", get(request, 3));
        }

        @Test
        void wrongFeatures() {
            assertThrows(LuaError.class, () -> call(create(121), 0), "without a host");
            set(request, 0, "http://u:p@127.0.0.1");
            assertThrows(LuaError.class, () -> call(request, 0));
            set(request, 0, "http://127.0.0.1:1");
            set(request, 3, "A B");
            assertThrows(LuaError.class, () -> call(request, 0));
            set(request, 3, "POST");
            set(request, 8, scripts.globals.get("print"));
            assertThrows(LuaError.class, () -> call(request, 0));
            assertEquals("0", get(request, 12));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Server;
import io.sirocco.live.client.LiveClient;
import io.sirocco.net.Loops;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every example, over real sockets. */
class ExamplesTest {
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private Server server;

    @AfterEach
    void stop() {
        http.shutdownNow();
        if (server != null && server.isRunning()) server.stop(Duration.ofMillis(100));
    }

    @Test
    void hello() throws Exception {
        server = Hello.start(0);
        assertEquals("Hello, world", get("/hello/world").body());
        assertEquals("abc", send("POST", "/echo", "abc").body());
        try (var lines = http.send(request("/ticks").build(), BodyHandlers.ofLines()).body()) {
            assertEquals("data: tick", lines.findFirst().orElseThrow());
        }
    }

    @Test
    void echo() throws Exception {
        server = Echo.start(0);
        assertEquals("Hello World! Echo:\n", get("/echo").body());
        assertEquals(19, get("/echo").body().length());
        assertEquals("Hello World! Echo:\nab\nc", send("GET", "/echo", "ab\nc").body());
        String text = "0123456789".repeat(5_000);
        assertEquals("Hello World! Echo:\n" + text, send("GET", "/echo", text).body());
    }

    @Test
    void asyncAppend() throws Exception {
        server = AsyncAppend.start(0, Duration.ofMillis(20));
        long began = System.nanoTime();
        assertEquals("line 1\nline 2\nline 3\n", get("/append").body());
        assertTrue(System.nanoTime() - began >= 60_000_000, "it has not paused");
        assertEquals("found\n", get("/later").body());
    }

    @Test
    void filters() throws Exception {
        server = Filters.start(0);
        var open = get("/");
        assertEquals("anyone", open.body());
        var refused = get("/admin/who");
        assertEquals(401, refused.statusCode());
        assertFalse(id(open).equals(id(refused)), "two requests of one name");
        var known =
                http.send(
                        request("/admin/who").header("Authorization", "Bearer sesame").build(),
                        BodyHandlers.ofString());
        assertEquals("You are Ali Baba", known.body());
    }

    private static String id(HttpResponse<?> response) {
        return response.headers().firstValue("X-Request-Id").orElseThrow();
    }

    /** At the first rate the download takes 100 seconds; the test does not. */
    @Test
    void throttle() throws Exception {
        server = Throttle.start(0);
        long began = System.nanoTime();
        try (var in =
                http.send(request("/download").build(), BodyHandlers.ofInputStream()).body()) {
            assertEquals(50_000, in.readNBytes(50_000).length);
            assertEquals(204, send("PUT", "/rate/0", "").statusCode());
            assertEquals(10_000_000 - 50_000, in.readAllBytes().length);
        }
        assertTrue(System.nanoTime() - began < 30_000_000_000L, "the rate has not changed");
        assertEquals(400, send("PUT", "/rate/fast", "").statusCode());
    }

    @Test
    void throttleHolds() throws Exception {
        server = Throttle.start(0);
        assertEquals(204, send("PUT", "/rate/1000000", "").statusCode());
        long began = System.nanoTime();
        try (var in =
                http.send(request("/download").build(), BodyHandlers.ofInputStream()).body()) {
            in.readNBytes(500_000);
        }
        long millis = (System.nanoTime() - began) / 1_000_000;
        assertTrue(millis >= 300, "half a megabyte at one a second has come in " + millis + " ms");
    }

    @Test
    void fileUpload(@TempDir Path folder) throws Exception {
        server = FileUpload.start(0, folder);
        assertTrue(get("/").body().contains("multipart/form-data"));
        int bytes = 17 << 20; // more than the default limit of a part
        String body =
                """
                --b
                Content-Disposition: form-data; name="title"

                Cat
                --b
                Content-Disposition: form-data; name="picture"; filename="../../cat.jpg"
                Content-Type: image/jpeg

                %s
                --b--
                """
                        .formatted("x".repeat(bytes))
                        .replace("\n", "\r\n");
        var answer =
                http.send(
                        request("/upload")
                                .header("Content-Type", "multipart/form-data; boundary=b")
                                .POST(BodyPublishers.ofString(body))
                                .build(),
                        BodyHandlers.ofString());
        assertEquals("title: Cat\npicture: " + bytes + " bytes\n", answer.body());
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of((long) bytes), files.map(file -> file.toFile().length()).toList());
        }
        assertEquals(415, send("POST", "/upload", "no form").statusCode());
    }

    @Test
    void fileDownload(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("big.txt"), "0123456789".repeat(100_000));
        server = FileDownload.start(0, folder);
        var answer = get("/download/big.txt");
        assertEquals(1_000_000, answer.body().length());
        assertEquals(
                "attachment; filename=\"big.txt\"",
                answer.headers().firstValue("Content-Disposition").orElseThrow());
        assertEquals("1000000", answer.headers().firstValue("Content-Length").orElseThrow());
        for (String bad : List.of("none", "..", "%2e%2e", "..%2fbig.txt", "a%22.txt")) {
            assertEquals(404, get("/download/" + bad).statusCode(), bad);
        }
    }

    @Test
    void events() throws Exception {
        server = Events.start(0, Duration.ofMillis(5));
        assertTrue(get("/").body().contains("new EventSource(\"count\")"));
        var again = request("/count").header("Last-Event-ID", "41").build();
        try (var lines = http.send(again, BodyHandlers.ofLines()).body()) {
            assertEquals(
                    List.of(
                            "retry: 2000",
                            "",
                            "event: count",
                            "id: 42",
                            "data: This is 42",
                            "",
                            "event: count"),
                    lines.limit(7).toList());
        }
    }

    @Test
    void chat() throws Exception {
        server = Chat.start(0);
        assertTrue(get("/").body().contains("new WebSocket("));
        var anna = new Reader();
        var bert = new Reader();
        var first = webSocket("/chat", anna);
        var second = webSocket("/chat", bert);
        first.sendText("I am Anna", true).join();
        assertEquals("I am Anna", anna.next());
        // Bert may have come behind that; he is in the room when he reads himself.
        second.sendText("I am Bert", true).join();
        String heard = bert.next();
        if (heard.equals("I am Anna")) heard = bert.next();
        assertEquals("I am Bert", heard);
        assertEquals("I am Bert", anna.next());
        first.sendClose(WebSocket.NORMAL_CLOSURE, "bye").join();
        assertEquals("closed 1000", anna.next());
    }

    @Test
    void webSocketEcho() throws Exception {
        server = WebSocketEcho.start(0);
        var reader = new Reader();
        var socket = webSocket("/", reader);
        String large = "äö€😀".repeat(100_000);
        for (String text : List.of("a", "", large)) {
            socket.sendText(text, true).join();
            assertEquals(text, reader.next());
        }
        socket.sendClose(4000, "enough").join();
        assertEquals("closed 4000", reader.next());
        assertEquals(426, get("/").statusCode());
    }

    private WebSocket webSocket(String path, Reader reader) {
        URI uri = URI.create("ws://127.0.0.1:" + server.port() + path);
        return http.newWebSocketBuilder().buildAsync(uri, reader).join();
    }

    /** Takes down what comes. */
    private static final class Reader implements WebSocket.Listener {
        private final LinkedBlockingQueue<String> messages = new LinkedBlockingQueue<>();
        private final StringBuilder text = new StringBuilder();

        String next() throws InterruptedException {
            return messages.poll(10, TimeUnit.SECONDS);
        }

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence piece, boolean last) {
            text.append(piece);
            if (last) {
                messages.add(text.toString());
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            messages.add("closed " + code);
            return null;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "shop.example,       the shop",
        "SHOP.example:8080,  the shop",
        "anna.blog.example,  blog of anna",
        "blog.example,       no host of ours",
        "localhost,          no host of ours",
    })
    void virtualHosts(String host, String answer) throws IOException {
        server = VirtualHosts.start(0);
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            String head = "GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(head.getBytes());
            String all = new String(socket.getInputStream().readAllBytes());
            assertTrue(all.endsWith("\r\n\r\n" + answer), all);
        }
    }

    @Test
    void errorPages() throws Exception {
        server = ErrorPages.start(0);
        assertEquals("49", get("/square/7").body());
        var bad = get("/square/seven");
        assertEquals(400, bad.statusCode());
        assertEquals(
                "{\"status\": 400, \"message\": \"The number must have digits only.\"}",
                bad.body());
        assertEquals("{\"status\": 404, \"message\": \"Not Found\"}", get("/nothing").body());
        var failed = get("/secret");
        assertEquals(500, failed.statusCode());
        assertEquals("{\"status\": 500, \"message\": \"Internal Server Error\"}", failed.body());
        assertEquals(
                "{\"status\": 405, \"message\": \"Method Not Allowed\"}",
                send("PUT", "/secret", "").body());
    }

    @Test
    void metrics() throws Exception {
        server = Metrics.start(0);
        get("/hello/a");
        get("/hello/b");
        get("/nothing");
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream().write("GET / HTTP/1.1\n\n".getBytes());
            socket.getInputStream().readAllBytes();
        }
        assertEquals(
                """
                answered{route="/hello/{name}",status="200"} 2
                answered{route="none",status="404"} 1
                rejected{rule="BARE_LF"} 1
                sent_bytes{route="/hello/{name}"} 16
                sent_bytes{route="none"} 9
                """,
                get("/metrics").body());
    }

    @Test
    void twoServers() throws Exception {
        try (var both = TwoServers.start(0, 0)) {
            server = both.open();
            int port = server.port();
            assertEquals("welcome", get("/").body());
            server = both.admin();
            assertEquals("true", get("/running").body());
            assertEquals("stopped", send("POST", "/stop", "").body());
            assertEquals("false", get("/running").body());
            assertThrows(
                    ConnectException.class,
                    () -> new Socket(InetAddress.getLoopbackAddress(), port).close());
        }
    }

    @Test
    void unixSocket(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("s");
        server = UnixSocket.start(file);
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(file));
            channel.write(
                    ByteBuffer.wrap(
                            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".getBytes()));
            var in = new BufferedReader(Channels.newReader(channel, "UTF-8"));
            assertEquals("Hello from a file", in.lines().toList().getLast());
        }
        server.close();
        assertFalse(Files.exists(file), "the file of the socket stays behind");
    }

    @Test
    void liveGateTakesAHundredOfLiveRush() throws Exception {
        liveGateTakes(100);
    }

    @Test
    @Tag("heavy")
    void liveGateTakesAThousandOfLiveRush() throws Exception {
        liveGateTakes(1_000);
    }

    private void liveGateTakes(int clients) throws Exception {
        server = LiveGate.start(0);
        assertEquals("hi\n", get("/").body());
        String url = "http://127.0.0.1:" + server.port();
        try (Loops loops = Loops.start(s -> s.loops(2));
                var crowd = LiveRush.open(loops, url, "secret", clients, 30)) {
            assertEquals(clients, crowd.clients().stream().filter(LiveClient::isConnected).count());
            Set<String> ids = ConcurrentHashMap.newKeySet();
            try (var asking = Executors.newVirtualThreadPerTaskExecutor()) {
                for (LiveClient each : crowd.clients()) {
                    asking.submit(() -> ids.add(whoAmI(each)));
                }
            }
            assertEquals(clients, ids.size());
            assertThrows(CompletionException.class, () -> LiveRush.open(loops, url, "wrong", 1, 1));
        }
    }

    private static String whoAmI(LiveClient client) {
        return client.request("whoami", Duration.ofSeconds(10), String.class);
    }

    @Test
    void hold() throws Exception {
        server = Hold.start(new InetSocketAddress("127.0.0.1", 0), 1);
        String all = get("/?length=10240").body();
        assertEquals(10_240, all.length());
        assertEquals(all, get("/?length=99999").body());
        for (int length : new int[] {0, 1, 4_095, 4_097, 8_193, 10_239}) {
            assertEquals(all.substring(0, length), get("/?length=" + length).body());
        }
        assertEquals("", get("/?length=-1").body());
        assertEquals(400, get("/?length=many").statusCode());
        String some = get("/").body();
        assertTrue(some.length() >= 1024 && all.startsWith(some), "a random part of the text");
    }

    @Test
    void theOptionsOfHold() {
        var options = Hold.Options.of("--port", "8001", "--loops", "2", "--address", "127.0.0.1");
        assertEquals(new Hold.Options("127.0.0.1", 8001, 2, false), options);
        assertTrue(Hold.Options.of("--port", "1", "--help").help());
        for (String wrong :
                List.of("--prot 1", "--loops", "--loops --port 1", "--port x", "--port 65536")) {
            assertThrows(
                    IllegalArgumentException.class, () -> Hold.Options.of(wrong.split(" ")), wrong);
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(request(path).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        BodyPublisher content = BodyPublishers.ofString(body);
        return http.send(request(path).method(method, content).build(), BodyHandlers.ofString());
    }
}

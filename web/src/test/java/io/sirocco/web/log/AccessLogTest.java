// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.http.Filter;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.net.Clock;
import io.sirocco.web.access.AddressRules;
import io.sirocco.web.access.BasicAuth;
import io.sirocco.web.access.Cors;
import io.sirocco.web.access.Networks;
import io.sirocco.web.access.RateLimit;
import io.sirocco.web.access.Rejections;
import io.sirocco.web.access.Users;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.crypto.bcrypt.BCrypt;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The access log of a server that serves, read back from the disk or the pipe. */
class AccessLogTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final Users ANN = users();

    @TempDir Path folder;
    private final ObjectMapper mapper = new ObjectMapper();

    private static Users users() {
        try {
            Path file = Files.createTempFile("users", "");
            try {
                return Users.read(
                        Files.writeString(
                                file, "ann:" + BCrypt.hashpw("x", BCrypt.gensalt("$2y", 5))));
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Server serve(AccessLog log) {
        return Server.start(
                config -> config.port(0).loops(1).maxBodyBytes(10).monitor(log),
                AccessLogTest::routes);
    }

    private static void routes(Routes routes) {
        routes.get("/hello/{name}", request -> Response.text("Hello"));
        routes.post("/echo", request -> Response.bytes(request.body().bytes()));
        routes.get(
                "/ann",
                request -> {
                    request.attribute(Request.USER, "ann o'nym");
                    return Response.empty(204);
                });
        var rejections = new Rejections();
        var clock = Clock.system();
        var all = Networks.of(List.of("0.0.0.0/0", "::/0"));
        var none = Networks.of(List.of());
        var far = Networks.of(List.of("192.0.2.1"));
        behind(routes, "/deny", new AddressRules(none, all, rejections));
        behind(routes, "/allow", new AddressRules(far, none, rejections));
        behind(routes, "/limit", new RateLimit(1, Duration.ofDays(1), 1, 16, clock, rejections));
        behind(routes, "/auth", new BasicAuth("a", ANN, clock, rejections));
        var origins = List.of("https://a.test");
        var methods = List.of("GET");
        behind(
                routes,
                "/cors",
                new Cors(
                        origins,
                        methods,
                        List.of(),
                        List.of(),
                        false,
                        Duration.ofMinutes(1),
                        rejections));
    }

    private static void behind(Routes routes, String path, Filter filter) {
        routes.group(path, inner -> inner.filter(filter).get("", request -> Response.empty(204)));
    }

    /** Sends bytes, and answers what came until the server closed. */
    private static String ask(Server server, String bytes) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        }
    }

    private static String get(String target, String... fields) {
        String more = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
        return "GET %s HTTP/1.1\r\nHost: a.test:8080\r\nConnection: close\r\n%s\r\n"
                .formatted(target, more);
    }

    private static void until(String what, BooleanSupplier done) throws InterruptedException {
        Instant end = Instant.now().plus(PATIENCE);
        while (!done.getAsBoolean()) {
            assertTrue(Instant.now().isBefore(end), "not within " + PATIENCE + ": " + what);
            Thread.sleep(10);
        }
    }

    /** What is logged of {@code requests}, each on a connection of its own. */
    private List<String> logged(LogFormat format, String... requests) throws IOException {
        Path file = folder.resolve("access.log");
        try (var log = AccessLog.open(file, format, 1024);
                Server server = serve(log)) {
            for (String request : requests) {
                ask(server, request);
            }
        }
        return Files.readAllLines(file);
    }

    @Test
    void aRequestIsOneJsonObject() throws Exception {
        Instant before = Instant.now();
        String request = get("/hello/you?a=b", "User-Agent: x \"1\"", "Referer: http://b.test/");
        JsonNode line = mapper.readTree(logged(LogFormat.JSON, request).getFirst());
        Instant time = Instant.parse(line.get("time").asString());
        assertFalse(time.isBefore(before.minusMillis(1)) || time.isAfter(Instant.now()));
        assertTrue(line.get("ms").asDouble() > 0);
        assertTrue(line.get("id").asString().matches("\\w+-0-\\w+"));
        assertEquals(
                "{\"remote\":\"127.0.0.1\",\"method\":\"GET\",\"scheme\":\"http\","
                        + "\"host\":\"a.test\",\"target\":\"/hello/you?a=b\","
                        + "\"version\":\"HTTP/1.1\",\"status\":200,\"in\":0,\"out\":5,"
                        + "\"route\":\"/hello/{name}\",\"referer\":\"http://b.test/\","
                        + "\"agent\":\"x \\\"1\\\"\"}",
                without(line, "time", "id", "ms"));
    }

    private String without(JsonNode line, String... names) {
        var object = (tools.jackson.databind.node.ObjectNode) line;
        return object.without(List.of(names)).toString();
    }

    @Test
    void aRequestIsOneCombinedLineThatOthersCanRead() throws Exception {
        var combined =
                Pattern.compile(
                        "(\\S+) - (\\S+) \\[(\\d\\d/\\w{3}/\\d{4}:\\d\\d:\\d\\d:\\d\\d \\+0000)]"
                                + " \"([^\"]*)\" (\\d{3}) (\\d+) \"([^\"]*)\" \"([^\"]*)\"");
        List<String> lines =
                logged(
                        LogFormat.COMBINED,
                        get("/hello/you?a=b", "User-Agent: x \"1\"", "Referer: http://b.test/"),
                        get("/ann"));
        Matcher line = combined.matcher(lines.getFirst());
        assertTrue(line.matches(), lines.getFirst());
        assertEquals("127.0.0.1", line.group(1));
        assertEquals("-", line.group(2));
        assertEquals("GET /hello/you?a=b HTTP/1.1", line.group(4));
        assertEquals("200", line.group(5));
        assertEquals("5", line.group(6));
        assertEquals("http://b.test/", line.group(7));
        assertEquals("x \\x221\\x22", line.group(8));
        Matcher ann = combined.matcher(lines.getLast());
        assertTrue(ann.matches(), lines.getLast());
        assertEquals("ann_o'nym", ann.group(2));
        assertEquals("-", ann.group(8));
    }

    @Test
    void theUserOfAFilterIsLogged() throws Exception {
        JsonNode line = mapper.readTree(logged(LogFormat.JSON, get("/ann")).getFirst());
        assertEquals("ann o'nym", line.get("user").asString());
        assertEquals(204, line.get("status").asInt());
    }

    @Test
    void hostileBytesNeverBreakALine() throws Exception {
        var random = new Random(3);
        var agents = new String[50];
        for (int i = 0; i < agents.length; i++) {
            var agent = new StringBuilder("x");
            random.ints(100, 0x21, 256).filter(c -> c != 0x7F).forEach(c -> agent.append((char) c));
            agents[i] = agent.toString();
        }
        String[] requests = new String[agents.length];
        for (int i = 0; i < agents.length; i++) {
            requests[i] = get("/\"\\{x", "User-Agent: " + agents[i]);
        }
        List<String> lines = logged(LogFormat.JSON, requests);
        assertEquals(agents.length, lines.size());
        for (int i = 0; i < agents.length; i++) {
            JsonNode line = mapper.readTree(lines.get(i));
            assertEquals(agents[i], line.get("agent").asString());
            assertEquals("/\"\\{x", line.get("target").asString());
        }
    }

    @Test
    void aRefusedHeadIsLoggedWithItsRuleAndWhatWasRead() throws Exception {
        List<String> lines =
                logged(
                        LogFormat.JSON,
                        "GET /x HTTP/1.1\r\n\r\n",
                        "\0\1\2\r\n\r\n",
                        "POST /a\nb HTTP/1.1\r\n\r\n");
        JsonNode hostless = mapper.readTree(lines.getFirst());
        assertEquals("HOST_MISSING", hostless.get("rule").asString());
        assertEquals("GET", hostless.get("method").asString());
        assertEquals("/x", hostless.get("target").asString());
        assertEquals(400, hostless.get("status").asInt());
        JsonNode binary = mapper.readTree(lines.get(1));
        assertEquals("BAD_METHOD", binary.get("rule").asString());
        assertFalse(binary.has("target"));
        assertEquals("/a", mapper.readTree(lines.get(2)).get("target").asString().strip());
    }

    @Test
    void aRefusedHeadIsACombinedLineToo() throws Exception {
        List<String> lines =
                logged(LogFormat.COMBINED, "GET /x HTTP/1.1\r\n\r\n", "\0\1\2\r\n\r\n");
        assertTrue(lines.getFirst().endsWith("\"GET /x\" 400 11 \"-\" \"HOST_MISSING\""));
        assertTrue(lines.getLast().endsWith("\"-\" 400 11 \"-\" \"BAD_METHOD\""));
    }

    @Test
    void aRefusedBodyIsLoggedOnceWithItsRule() throws Exception {
        String request = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n01234567890";
        List<String> lines = logged(LogFormat.JSON, request);
        assertEquals(1, lines.size());
        JsonNode line = mapper.readTree(lines.getFirst());
        assertEquals("BODY_TOO_LARGE", line.get("rule").asString());
        assertEquals(413, line.get("status").asInt());
    }

    @Test
    void aRefusalByAnAccessRuleIsLoggedWithItsName() throws Exception {
        String preflight =
                "OPTIONS /cors HTTP/1.1\r\nHost: a\r\nConnection: close\r\nOrigin: https://b\r\n"
                        + "Access-Control-Request-Method: GET\r\n\r\n";
        String wrong =
                "Authorization: Basic " + Base64.getEncoder().encodeToString("a:b".getBytes());
        List<String> lines =
                logged(
                        LogFormat.JSON,
                        get("/deny"),
                        get("/allow"),
                        get("/limit"),
                        get("/limit"),
                        get("/auth"),
                        get("/auth", wrong),
                        preflight);
        List<String> said =
                lines.stream()
                        .map(mapper::readTree)
                        .map(line -> line.get("status") + " " + line.path("rule").asString("-"))
                        .toList();
        assertEquals(
                List.of(
                        "403 deny",
                        "403 allow",
                        "204 -",
                        "429 rate-limit",
                        "401 basic-auth",
                        "401 basic-auth",
                        "403 cors"),
                said);
    }

    @Test
    void aFileThatWasMovedAwayIsOpenedAnewByItself() throws Exception {
        Path file = folder.resolve("access.log");
        Path moved = folder.resolve("access.log.1");
        try (var log = AccessLog.open(file, LogFormat.JSON, 1024);
                Server server = serve(log)) {
            ask(server, get("/hello/first"));
            until("the first line is written", () -> log.written() == 1);
            Files.move(file, moved);
            until("there is a new file", () -> Files.exists(file));
            ask(server, get("/hello/second"));
        }
        assertTrue(Files.readString(moved).contains("first"));
        assertTrue(Files.readString(file).contains("second"));
        assertEquals(1, Files.readAllLines(file).size());
    }

    @Test
    void soIsAFileThatWasDeleted() throws Exception {
        Path file = folder.resolve("access.log");
        try (var log = AccessLog.open(file, LogFormat.JSON, 1024);
                Server server = serve(log)) {
            ask(server, get("/hello/first"));
            until("the first line is written", () -> log.written() == 1);
            Files.delete(file);
            until("there is a new file", () -> Files.exists(file));
            ask(server, get("/hello/second"));
        }
        assertTrue(Files.readString(file).contains("second"));
        assertEquals(1, Files.readAllLines(file).size());
    }

    @Test
    void reopenTakesUpTheNewFile() throws Exception {
        Path file = folder.resolve("access.log");
        try (var log = AccessLog.open(file, LogFormat.JSON, 1024);
                Server server = serve(log)) {
            Files.move(file, folder.resolve("old"));
            log.reopen();
            until("there is a new file", () -> Files.exists(file));
            ask(server, get("/hello/new"));
        }
        assertTrue(Files.readString(file).contains("/hello/new"));
    }

    @Test
    void linesAreAppendedToWhatIsThere() throws Exception {
        Path file = Files.writeString(folder.resolve("access.log"), "before\n");
        List<String> lines = logged(LogFormat.JSON, get("/hello/you"));
        assertEquals(List.of("before", lines.getLast()), Files.readAllLines(file));
    }

    @Test
    void onlyTheOwnerAndTheGroupMayReadIt() throws Exception {
        Path file = folder.resolve("access.log");
        AccessLog.open(file, LogFormat.JSON, 1024).close();
        var mode = Files.getPosixFilePermissions(file);
        assertTrue(PosixFilePermissions.fromString("rw-r-----").containsAll(mode), mode.toString());
    }

    @Test
    void aPlaceThatCannotBeIsExplained() {
        Path nowhere = folder.resolve("none").resolve("access.log");
        var missing =
                assertThrows(
                        IOException.class, () -> AccessLog.open(nowhere, LogFormat.JSON, 1024));
        assertTrue(
                missing.getMessage().endsWith("there is no directory " + nowhere.getParent()),
                missing.getMessage());
        var folderItself =
                assertThrows(IOException.class, () -> AccessLog.open(folder, LogFormat.JSON, 1024));
        assertTrue(folderItself.getMessage().contains("Is a directory"), folderItself.getMessage());
    }

    @Test
    void aPipeThatNobodyReadsHoldsUpNoRequestAndTheLogSaysWhatItDropped() throws Exception {
        Path pipe = folder.resolve("pipe");
        assumeTrue(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0, "mkfifo");
        var reader = new BufferedReader[1];
        Thread opening =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        reader[0] = Files.newBufferedReader(pipe);
                                    } catch (IOException e) {
                                        throw new AssertionError(e);
                                    }
                                });
        var log = AccessLog.open(pipe, LogFormat.JSON, 64);
        opening.join();
        long lines = 0;
        long dropped = 0;
        try (log;
                var in = reader[0];
                Server server = serve(log)) {
            String many = "GET /hello/you HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100);
            int asked = 0;
            while (log.dropped() < 500) { // behind 64 KiB of the pipe and the queue
                String answers = ask(server, many + get("/hello/last"));
                assertEquals(101, answers.split("HTTP/1.1 200 OK", -1).length - 1);
                asked += 101;
            }
            for (String line; lines + dropped < asked && (line = in.readLine()) != null; ) {
                JsonNode node = mapper.readTree(line);
                if (node.has("dropped")) {
                    dropped += node.get("dropped").asLong();
                } else {
                    lines++;
                }
            }
            assertEquals(asked, lines + dropped);
            assertEquals(log.dropped(), dropped);
            assertEquals(log.written(), lines);
        }
    }

    @Test
    void aFullDiskHoldsUpNoRequestAndWhatWaitsIsWrittenLater() throws Exception {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full), "/dev/full");
        Path file = Files.createSymbolicLink(folder.resolve("access.log"), full);
        Path better = folder.resolve("better.log");
        try (var log = AccessLog.open(file, LogFormat.JSON, 64);
                Server server = serve(log)) {
            for (int i = 0; i < 5; i++) {
                assertTrue(ask(server, get("/hello/" + i)).startsWith("HTTP/1.1 200"));
            }
            until("the lines are taken", () -> log.written() > 0);
            Path link = Files.createSymbolicLink(folder.resolve("link"), better);
            Files.move(link, file, StandardCopyOption.REPLACE_EXISTING); // room again
            until("they are written", () -> lines(better) == 5);
            assertEquals(0, log.dropped());
        }
        assertEquals(5, lines(better));
    }

    private static long lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file).size() : 0;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aLogThatCannotBeWrittenDelaysNoEnd() throws Exception {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full), "/dev/full");
        var log = AccessLog.open(full, LogFormat.JSON, 64);
        try (Server server = serve(log)) {
            ask(server, get("/hello/you"));
        }
        Thread closing = Thread.ofPlatform().start(log::close);
        assertTrue(closing.join(PATIENCE));
    }

    @Test
    void formatsHaveTheNamesOfTheConfiguration() {
        assertEquals(
                Map.of("json", LogFormat.JSON, "combined", LogFormat.COMBINED),
                Map.of(
                        "json", LogFormat.of("json").orElseThrow(),
                        "combined", LogFormat.of("combined").orElseThrow()));
        assertTrue(LogFormat.of("xml").isEmpty());
    }
}

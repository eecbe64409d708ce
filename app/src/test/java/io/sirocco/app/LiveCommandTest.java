// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.config.InvalidConfiguration;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code sirocco live}: what clients find there, and who may come in. */
class LiveCommandTest {
    private static final String SECRET = "{\"password\":\"secret\"}";
    private static final String POSITION = ",\"position\":\"[^\"]+\"";
    private static final String BYTES = "{\"_placeholder\":true,\"num\":%d}";

    private static Source source(Map<String, String> environment, String... options) {
        var command = new ServeLive(environment);
        new CommandLine(command.spec, Main.FACTORY).parseArgs(options);
        return command.source();
    }

    private static Serving serve(String... options) throws Exception {
        var all = new java.util.ArrayList<>(List.of("--port", "0", "--loops", "2"));
        all.addAll(List.of(options));
        return Serving.open(source(Map.of(), all.toArray(String[]::new)));
    }

    private static HttpResponse<String> post(int port, String path, String body) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            return http.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                            .POST(BodyPublishers.ofString(body))
                            .build(),
                    BodyHandlers.ofString());
        }
    }

    private static String ticket(int port) throws Exception {
        String answer = post(port, "/ticket", SECRET).body();
        assertTrue(answer.matches("\\{\"ticket\":\"[^\"]+\"}"), answer);
        return answer;
    }

    // ---- what clients may ask for

    @Test
    void anEchoHasTheSameArguments() throws Exception {
        try (Serving serving = serve("--password", "secret");
                Talker talker = Talker.in(serving.port(), SECRET)) {
            assertEquals(
                    "437[1,\"two\",[3],{\"four\":null}]",
                    talker.ask("[\"echo\",1,\"two\",[3],{\"four\":null}]"));
            assertEquals("437[]", talker.ask("[\"echo\"]"));
        }
    }

    @Test
    void anEchoHasTheSameBytes() throws Exception {
        try (Serving serving = serve("--password", "secret");
                Talker talker = Talker.in(serving.port(), SECRET)) {
            talker.send("451-7[\"echo\",{\"in\":{\"_placeholder\":true,\"num\":0}},\"x\"]");
            talker.send("jpeg".getBytes(UTF_8));
            assertEquals("461-7[{\"in\":{\"_placeholder\":true,\"num\":0}},\"x\"]", talker.next());
            assertEquals("bytes jpeg", talker.next());
        }
    }

    @Test
    void whatIsPublishedReachesAllInTheRoomButTheSender() throws Exception {
        try (Serving serving = serve("--password", "secret");
                Talker ada = Talker.in(serving.port(), SECRET).join("kitchen");
                Talker ben = Talker.in(serving.port(), SECRET).join("kitchen");
                Talker eve = Talker.in(serving.port(), SECRET).join("hall")) {
            assertEquals("437[]", ada.ask("[\"publish\",\"kitchen\",\"smell\",\"toast\",2]"));
            assertEquals("42[\"smell\",\"toast\",2]", ben.next());
            eve.send("42[\"publish\",\"kitchen\",\"over\"]"); // without an acknowledgement
            assertEquals("42[\"over\"]", ada.next(), "not its own");
            assertEquals("42[\"over\"]", ben.next());
            assertEquals("437[]", ben.ask("[\"leave\",\"kitchen\"]"));
            assertEquals("437[]", ada.ask("[\"publish\",\"kitchen\",\"gone\"]"));
            assertEquals("437[1]", ben.ask("[\"echo\",1]"), "no event before it");
        }
    }

    @Test
    void whatCannotBeIsAnsweredWithAnError() throws Exception {
        try (Serving serving = serve("--password", "secret");
                Talker talker = Talker.in(serving.port(), SECRET)) {
            String reserved = talker.ask("[\"publish\",\"a\",\"disconnect\"]");
            assertTrue(reserved.contains("\"code\":\"bad_arguments\""), reserved);
            assertTrue(reserved.contains("reserved"), reserved);
            for (String event :
                    List.of(
                            "[\"join\"]",
                            "[\"join\",\"\"]",
                            "[\"join\",7]",
                            "[\"join\",\"" + "x".repeat(201) + "\"]",
                            "[\"publish\",\"a\"]",
                            "[\"publish\",\"a\",\"sirocco:gap\"]")) {
                String answer = talker.ask(event);
                assertTrue(answer.contains("\"code\":\"bad_arguments\""), event + " " + answer);
            }
            String unknown = talker.ask("[\"nothing\"]");
            assertTrue(unknown.contains("\"code\":\"unknown_event\""), unknown);
        }
    }

    @Test
    void aClientIsInNoMoreRoomsThanItMay(@TempDir Path folder) throws Exception {
        try (Serving serving = file(folder, "[live]\nrooms = 1\n");
                Talker talker = Talker.in(serving.port(), "{}").join("a")) {
            String answer = talker.ask("[\"join\",\"b\"]");
            assertTrue(answer.contains("\"code\":\"limited\""), answer);
        }
    }

    @Test
    void aHistoryIsReadByThoseInTheRoom() throws Exception {
        try (Serving serving = serve("--password", "secret", "--history", "chat/*=2:1h");
                Talker talker = Talker.in(serving.port(), SECRET).join("chat/1").join("other")) {
            for (int i = 1; i <= 3; i++) {
                talker.ask("[\"publish\",\"chat/1\",\"said\"," + i + "]");
            }
            assertEquals(
                    "437[[{\"event\":\"said\",\"arguments\":[2]},{\"event\":\"said\",\"arguments\":[3]}]]",
                    talker.ask("[\"history\",\"chat/1\"]").replaceAll(POSITION, ""));
            assertTrue(talker.ask("[\"history\",\"other\"]").contains("no_history"));
            assertTrue(talker.ask("[\"history\",\"chat/2\"]").contains("forbidden"));
        }
    }

    @Test
    void aHistoryIsReadToItsBeginningHoweverLongItIs() throws Exception {
        try (Serving serving = serve("--password", "secret", "--history", "chat/*=2000:1h");
                Talker talker = Talker.in(serving.port(), SECRET).join("chat/1")) {
            for (int i = 0; i < 1_100; i++) {
                talker.ask("[\"publish\",\"chat/1\",\"said\"," + i + "]");
            }
            int count = 0;
            String part = talker.ask("[\"history\",\"chat/1\",1000]");
            while (!part.equals("437[[]]")) {
                count += part.split("\"event\"").length - 1;
                String first = part.replaceFirst(".*?\"position\":\"([^\"]+)\".*", "$1");
                part = talker.ask("[\"history\",\"chat/1\",1000,\"" + first + "\"]");
            }
            assertEquals(1_100, count);
            part = talker.ask("[\"history\",\"chat/1\",9,\"another.1\"]");
            assertTrue(part.contains("\"code\":\"gap\""), part);
        }
    }

    private static String publish(Talker talker, int byteArrays) throws Exception {
        var packet = new StringBuilder("45" + byteArrays + "-7[\"publish\",\"chat/1\",\"photo\"");
        for (int i = 0; i < byteArrays; i++) {
            packet.append(',').append(BYTES.formatted(i));
        }
        talker.send(packet.append(']').toString());
        for (int i = 0; i < byteArrays; i++) {
            talker.send("jpeg".getBytes(UTF_8));
        }
        return talker.next();
    }

    @Test
    void whatClientsCannotTakeIsRefusedWhereItIsPublishedAndAHistoryComesInParts()
            throws Exception {
        try (Serving serving = serve("--password", "secret", "--history", "chat/*=50:1h");
                Talker talker = Talker.in(serving.port(), SECRET).join("chat/1")) {
            String refused = publish(talker, 11);
            assertTrue(refused.contains("bad_arguments") && refused.contains("11"), refused);
            refused =
                    talker.ask(
                            "[\"publish\",\"chat/1\",\"said\",{\"_placeholder\":true,\"num\":99}]");
            assertTrue(refused.contains("bad_arguments"), refused);
            for (int i = 0; i < 12; i++) {
                assertEquals("437[]", publish(talker, 1));
            }
            String part = talker.ask("[\"history\",\"chat/1\"]");
            assertTrue(part.startsWith("4610-7["), part);
            for (int i = 0; i < 10; i++) {
                assertEquals("bytes jpeg", talker.next());
            }
            String first = part.replaceFirst(".*?\"position\":\"([^\"]+)\".*", "$1");
            part = talker.ask("[\"history\",\"chat/1\",50,\"" + first + "\"]");
            assertTrue(part.startsWith("462-7["), part);
            assertEquals("bytes jpeg", talker.next());
            assertEquals("bytes jpeg", talker.next());
            first = part.replaceFirst(".*?\"position\":\"([^\"]+)\".*", "$1");
            assertEquals("437[[]]", talker.ask("[\"history\",\"chat/1\",50,\"" + first + "\"]"));
        }
    }

    private static int open(int port, String origin) throws Exception {
        String path = "/socket.io/?EIO=4&transport=polling";
        try (var http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                    .header("Origin", origin)
                                    .build(),
                            BodyHandlers.discarding())
                    .statusCode();
        }
    }

    @Test
    void originsMayBeThoseBelowAHostOrOfNoHost(@TempDir Path folder) throws Exception {
        String origins =
                """
                [server]
                drain-timeout = "50ms"
                [live]
                origins = ["https://*.example.org", "null", "file://"]
                """;
        try (Serving serving = file(folder, origins)) {
            assertEquals(200, open(serving.port(), "https://app.example.org"));
            assertEquals(200, open(serving.port(), "null"));
            assertEquals(200, open(serving.port(), "file://"));
            assertEquals(403, open(serving.port(), "https://example.com"));
        }
    }

    @Test
    void whoMayPublishIsAnOption(@TempDir Path folder) throws Exception {
        try (Serving serving = file(folder, "[live]\npublish = \"members\"\n");
                Talker talker = Talker.in(serving.port(), "{}")) {
            String answer = talker.ask("[\"publish\",\"a\",\"b\"]");
            assertTrue(answer.contains("\"code\":\"forbidden\""), answer);
            assertEquals("437[]", talker.join("a").ask("[\"publish\",\"a\",\"b\"]"));
        }
        try (Serving serving = file(folder, "[live]\npublish = \"none\"\n");
                Talker talker = Talker.in(serving.port(), "{}").join("a")) {
            String answer = talker.ask("[\"publish\",\"a\",\"b\"]");
            assertTrue(answer.contains("\"code\":\"forbidden\""), answer);
        }
    }

    // ---- who may come in

    @Test
    void aWrongPasswordIsRefused() throws Exception {
        try (Serving serving = serve("--password", "secret");
                Talker wrong = new Talker(serving.port(), "{\"password\":\"guess\"}");
                Talker none = new Talker(serving.port(), "")) {
            String answer = wrong.next();
            assertTrue(answer.startsWith("44{"), answer);
            assertTrue(answer.contains("\"code\":\"unauthorized\""), answer);
            assertTrue(answer.contains("the password is wrong"), answer);
            assertTrue(none.next().startsWith("44{"));
            HttpResponse<String> ticket =
                    post(serving.port(), "/ticket", "{\"password\":\"guess\"}");
            assertEquals(401, ticket.statusCode());
            assertTrue(ticket.body().contains("\"code\":\"unauthorized\""), ticket.body());
            assertEquals(401, post(serving.port(), "/ticket", "{}").statusCode());
            assertEquals(400, post(serving.port(), "/ticket", "nonsense").statusCode());
        }
    }

    @Test
    void aTicketAdmitsOnce() throws Exception {
        try (Serving serving = serve("--password", "secret")) {
            String ticket = ticket(serving.port());
            Talker.in(serving.port(), ticket).close();
            try (Talker again = new Talker(serving.port(), ticket)) {
                assertTrue(again.next().startsWith("44{"));
            }
        }
    }

    @Test
    void guessesAtThePasswordAreLimitedLikeConnects() throws Exception {
        try (Serving serving = serve("--password", "secret", "--connects", "2")) {
            int status = 0;
            for (int i = 0; i < 10 && status != 429; i++) {
                status = post(serving.port(), "/ticket", "{\"password\":\"guess\"}").statusCode();
            }
            assertEquals(429, status);
        }
    }

    @Test
    void messagesOfOneClientAreLimitedByAnOption() throws Exception {
        try (Serving serving = serve("--password", "secret", "--messages", "2");
                Talker client = Talker.in(serving.port(), "{\"password\":\"secret\"}")) {
            String answer = "";
            for (int i = 0; i < 100 && !answer.contains("limited"); i++) {
                answer = client.ask("[\"join\",\"kitchen\"]");
            }
            assertTrue(answer.contains("limited"), answer);
        }
    }

    @Test
    void guessesAtThePasswordCountForTicketsAndConnectsTogether() throws Exception {
        try (Serving serving = serve("--password", "secret")) {
            for (int i = 0; i < 5; i++) {
                String guess = "{\"password\":\"guess" + i + "\"}";
                assertEquals(401, post(serving.port(), "/ticket", guess).statusCode());
                try (var wrong = new Talker(serving.port(), guess)) {
                    String answer = wrong.next();
                    assertTrue(answer.contains("\"code\":\"unauthorized\""), answer);
                }
            }
            HttpResponse<String> right =
                    post(serving.port(), "/ticket", "{\"password\":\"secret\"}");
            assertEquals(429, right.statusCode(), "it would tell which is right");
            assertTrue(right.headers().firstValue("Retry-After").isPresent());
            try (var none = new Talker(serving.port(), "{\"password\":\"secret\"}")) {
                String answer = none.next();
                assertTrue(answer.contains("\"code\":\"limited\""), answer);
            }
        }
    }

    @Test
    void aServerForTheNetworkNeedsAPassword() throws Exception {
        InvalidConfiguration refused =
                assertThrows(InvalidConfiguration.class, () -> serve("--host", "0.0.0.0"));
        assertTrue(
                refused.getMessage().contains("neither a password nor a token key"),
                refused.getMessage());
        assertTrue(refused.getMessage().contains("--open"), refused.getMessage());
        serve("--host", "0.0.0.0", "--open").close();
        serve("--host", "0.0.0.0", "--password", "x").close();
    }

    @Test
    void thePasswordMayComeFromTheEnvironmentOrAFile(@TempDir Path folder) throws Exception {
        var variable = Map.of(ServeLive.VARIABLE, "fromenv");
        assertEquals(Optional.of("fromenv"), source(variable).overrides().password());
        assertEquals(
                Optional.of("said"), source(variable, "--password", "said").overrides().password());
        Path file = folder.resolve("password");
        Files.writeString(file, "fromfile\nsecond line\n");
        try (Serving serving = serve("--password-file", file.toString())) {
            Talker.in(serving.port(), "{\"password\":\"fromfile\"}").close();
        }
        Files.writeString(file, "\n");
        InvalidConfiguration empty =
                assertThrows(
                        InvalidConfiguration.class,
                        () -> serve("--password-file", file.toString()));
        assertTrue(empty.getMessage().contains("has 0 characters"), empty.getMessage());
    }

    @Test
    void aPasswordIsNeverPrinted() throws Exception {
        Source source = source(Map.of(), "--password", "hunter2", "--port", "0");
        assertFalse(source.load().toToml().contains("hunter2"));
        String wrong =
                assertThrows(
                                InvalidConfiguration.class,
                                () ->
                                        source(
                                                        Map.of(),
                                                        "--password",
                                                        "hunter2",
                                                        "--broker",
                                                        "http://u:hunter2@x")
                                                .load())
                        .getMessage();
        assertTrue(wrong.contains("is not a valid broker"), wrong);
        assertFalse(wrong.contains("hunter2"), wrong);
    }

    @Test
    void aChangedPasswordFileHoldsForThoseWhoComeLater(@TempDir Path folder) throws Exception {
        Path password = folder.resolve("live.password");
        Files.writeString(password, "old");
        try (Serving serving = file(folder, "[live]\npassword-file = \"live.password\"\n");
                Talker before = Talker.in(serving.port(), "{\"password\":\"old\"}")) {
            Files.writeString(password, "new");
            serving.applyConfiguration();
            assertEquals("437[1]", before.ask("[\"echo\",1]"), "it stays");
            Talker.in(serving.port(), "{\"password\":\"new\"}").close();
            try (Talker late = new Talker(serving.port(), "{\"password\":\"old\"}")) {
                assertTrue(late.next().startsWith("44{"));
            }
            String body = "{\"password\":\"new\"}";
            assertEquals(200, post(serving.port(), "/ticket", body).statusCode());
        }
    }

    /** A file with channels, served with two loops on a free port. */
    private static Serving file(Path folder, String toml) throws Exception {
        Path file = folder.resolve("sirocco.toml");
        Files.writeString(file, toml);
        String[] options = {"--config", file.toString(), "--port", "0", "--loops", "2"};
        return Serving.open(source(Map.of(), options));
    }

    private static int guess(int port, String host) throws Exception {
        try (var client = new Client(port)) {
            client.send(
                    "POST /ticket HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 2\r\n\r\n{}");
            return client.next(false).status();
        }
    }

    @Test
    void guessesCountForAllHostsTogetherAndThroughReloads(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("password"), "secret");
        String toml =
                """
                [live]
                on = true
                password-file = "password"
                connects = 3
                connects-per = "1h"
                [[site]]
                hosts = ["a.example"]
                [[site]]
                hosts = ["b.example"]
                """;
        try (Serving serving = file(folder, toml)) {
            assertEquals(401, guess(serving.port(), "a.example"));
            assertEquals(401, guess(serving.port(), "b.example"));
            serving.applyConfiguration();
            assertEquals(401, guess(serving.port(), "a.example"));
            assertEquals(429, guess(serving.port(), "a.example"));
            assertEquals(429, guess(serving.port(), "b.example"));
            assertEquals(429, guess(serving.port(), "127.0.0.1"));
        }
    }

    // ---- beside the channels

    @Test
    void filesOfASiteAreServedBesideThem(@TempDir Path folder) throws Exception {
        Path site = Files.createDirectory(folder.resolve("site"));
        Files.writeString(site.resolve("index.html"), "a page");
        try (Serving serving = serve(site.toString());
                Talker talker = Talker.in(serving.port(), "")) {
            assertEquals("a page", Client.get(serving.port(), "/").body());
            assertEquals("437[1]", talker.ask("[\"echo\",1]"));
        }
    }

    @Test
    void virtualHostsHaveThemToo(@TempDir Path folder) throws Exception {
        String site = "[live]\non = true\n[[site]]\nhosts = [\"127.0.0.1\"]\n";
        try (Serving serving = file(folder, site);
                Talker talker = Talker.in(serving.port(), "")) {
            assertEquals("437[1]", talker.ask("[\"echo\",1]"));
        }
    }

    @Test
    void serveHasThemWhereTheFileSaysSo(@TempDir Path folder) throws Exception {
        try (Running running =
                        Running.of(
                                folder,
                                io.sirocco.net.TransportKind.NIO,
                                "[live]\non = true\n[[listen]]\naddress = \"127.0.0.1:0\"\n");
                Talker talker = Talker.in(running.port(), "")) {
            assertEquals("437[1]", talker.ask("[\"echo\",1]"));
            running.reload("[live]\non = true\n[[listen]]\naddress = \"127.0.0.1:0\"\n#\n");
            assertEquals("437[2]", talker.ask("[\"echo\",2]"), "a reload keeps clients");
        }
    }

    @Test
    void aReloadSwitchesThemOnOrLeavesAllAsItIs(@TempDir Path folder) throws Exception {
        String server =
                "[[listen]]\naddress = \"127.0.0.1:0\"\n[admin]\naddress = \"127.0.0.1:0\"\n";
        try (Running running = Running.of(folder, io.sirocco.net.TransportKind.NIO, server)) {
            assertEquals(404, post(running.adminPort(), "/live/publish", "{}").statusCode());
            String broken = server + "[live]\non = true\nbroker = \"redis://127.0.0.1:1\"\n";
            assertTrue(running.refuses(broken).contains("broker"), "said where");
            assertEquals(404, post(running.adminPort(), "/live/publish", "{}").statusCode());
            running.reload(server + "[live]\non = true\n");
            assertEquals(400, post(running.adminPort(), "/live/publish", "{}").statusCode());
            try (Talker talker = Talker.in(running.port(), "")) {
                assertEquals("437[1]", talker.ask("[\"echo\",1]"));
                running.reload(server + "[live]\non = true\nrecovery = \"1s\"\n");
                assertEquals("437[2]", talker.ask("[\"echo\",2]"));
            }
        }
    }

    @Test
    void whoIsThereIsToldThatTheServerStops() throws Exception {
        Serving serving = serve("--recovery", "1m");
        try (Talker talker = Talker.in(serving.port(), "")) {
            serving.close();
            assertEquals("closed", talker.next());
        }
        serving.close(); // again, as the hook of the JVM does
    }

    @Tag("peers")
    @Test
    void theLineThatSaysReadyNamesTheConsole() throws Exception {
        try (var child =
                new Child("live", "--password", "a", "--port", "0", "--recovery", "500ms")) {
            String ready = child.line();
            assertTrue(
                    ready.matches(
                            "Sirocco serves channels at /socket\\.io on http://127\\.0\\.0\\.1:\\d+"
                                    + " \\(.*\\); admin: http://127\\.0\\.0\\.1:\\d+, console: http://127\\.0\\.0\\.1:\\d+/live"),
                    ready);
            Talker.in(child.port(), "{\"password\":\"a\"}").close();
            child.signal("TERM");
            assertEquals(0, child.exitCode());
            assertFalse(child.err().contains("ERROR"));
        }
    }

    @Test
    void theConsoleMayBeLeftOut() throws Exception {
        try (Serving serving = serve("--admin", "none")) {
            assertEquals(Optional.empty(), serving.admin());
        }
    }

    @Test
    void aBrokerThatCannotBeReachedIsAnErrorAtTheOption(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("sirocco.toml");
        Files.writeString(file, "[live]\nticket-path = \"\"\n");
        String[] options = {
            "--config", file.toString(), "--port", "0", "--broker", "redis://127.0.0.1:1"
        };
        InvalidConfiguration refused =
                assertThrows(
                        InvalidConfiguration.class,
                        () -> Serving.open(source(Map.of(), options)).close());
        assertTrue(refused.getMessage().contains("command line: error: "), refused.getMessage());
        assertTrue(refused.getMessage().contains("not to be reached"), refused.getMessage());
    }

    @Test
    void aBrokerNeedsNoConfigurationFile(@TempDir Path folder) throws Exception {
        Path secret = folder.resolve("ticket.secret");
        Files.writeString(secret, "0123456789abcdef");
        String[] options = {
            "--broker", "redis://127.0.0.1:1", "--ticket-secret-file", secret.toString()
        };
        InvalidConfiguration refused =
                assertThrows(InvalidConfiguration.class, () -> serve(options).close());
        assertTrue(refused.getMessage().contains("not to be reached"), refused.getMessage());
        assertFalse(refused.getMessage().contains("ticket-secret-file"), refused.getMessage());
    }

    @Test
    void aBrokerWithoutASecretOfTicketsIsAnErrorAtTheOption() {
        InvalidConfiguration refused =
                assertThrows(
                        InvalidConfiguration.class,
                        () -> serve("--broker", "redis://127.0.0.1:1").close());
        assertTrue(refused.getMessage().startsWith("command line: error: "), refused.getMessage());
        assertTrue(refused.getMessage().contains("ticket-secret-file"), refused.getMessage());
    }
}

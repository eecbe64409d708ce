// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.config.InvalidConfiguration;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code sirocco live} beside an application that signs JSON Web Tokens, by openssl here. */
@Tag("peers")
class LiveTokensTest {
    private static final String SECRET = "a secret of thirty-two bytes: ok";
    private static final String TELL = "[live]\npresence = [\"*\"]\n";

    @TempDir private Path folder;
    private OpenSslTokens tokens;

    @BeforeEach
    void secret() throws Exception {
        tokens = new OpenSslTokens(folder);
        Files.writeString(folder.resolve("jwt.secret"), SECRET + "\nwhat is below is not read\n");
    }

    private Serving serve(String toml, String... options) throws Exception {
        Path file = folder.resolve("sirocco.toml");
        Files.writeString(file, toml);
        var all = new ArrayList<>(List.of("--port", "0", "--loops", "2"));
        all.addAll(List.of("--config", file.toString()));
        all.addAll(List.of(options));
        return serve(all);
    }

    private static Serving serve(List<String> options) throws Exception {
        var command = new ServeLive(Map.of());
        new CommandLine(command.spec, Main.FACTORY).parseArgs(options.toArray(String[]::new));
        return Serving.open(command.source());
    }

    /** Of ada, for a minute, and more. */
    private static String claims(String more) {
        return claims(60, more);
    }

    private static String claims(int seconds, String more) {
        long end = Instant.now().getEpochSecond() + seconds;
        return "{\"sub\":\"ada\",\"exp\":%d%s}".formatted(end, more);
    }

    private static String auth(String token) {
        return "{\"token\":\"" + token + "\"}";
    }

    private static void admitted(Serving serving, String auth) throws Exception {
        Talker.in(serving.port(), auth).close();
    }

    private static void refused(String why, Serving serving, String auth) throws Exception {
        try (Talker talker = new Talker(serving.port(), auth)) {
            String answer = talker.next();
            assertTrue(answer.startsWith("44{"), answer);
            assertTrue(answer.contains("\"code\":\"unauthorized\""), answer);
            assertTrue(answer.contains(why), answer);
        }
    }

    private static HttpResponse<String> ticket(Serving serving, String body) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            return http.send(
                    HttpRequest.newBuilder(
                                    URI.create("http://127.0.0.1:" + serving.port() + "/ticket"))
                            .POST(BodyPublishers.ofString(body))
                            .build(),
                    BodyHandlers.ofString());
        }
    }

    // ---- who may come in

    @Test
    void aTokenOfTheApplicationAdmitsAsItsSubject() throws Exception {
        try (Serving serving = serve(TELL + "jwt-secret-file = \"jwt.secret\"\n");
                Talker ada = Talker.in(serving.port(), auth(tokens.hs256(SECRET, claims(""))))) {
            String there = ada.join("kitchen").ask("[\"sirocco:presence\",\"kitchen\"]");
            while (there.startsWith("42")) { // it is told that it came
                there = ada.next();
            }
            assertTrue(there.contains("\"user\":\"ada\""), there);
        }
    }

    @Test
    void whatIsWrongWithATokenIsSaid() throws Exception {
        String rules =
                "jwt-secret-file = \"jwt.secret\"\njwt-issuer = \"us\"\njwt-audience = \"chat\"\n";
        String good = ",\"iss\":\"us\",\"aud\":[\"shop\",\"chat\"]";
        long soon = Instant.now().getEpochSecond() + 3_600;
        try (Serving serving = serve("[live]\n" + rules)) {
            String token = tokens.hs256(SECRET, claims(good));
            admitted(serving, auth(token));
            refused("not signed", serving, auth(tokens.hs256(SECRET + "x", claims(good))));
            String[] parts = token.split("\\.");
            String other = OpenSslTokens.unsigned("HS256", claims(9_999, good));
            refused("not signed", serving, auth(other + "." + parts[2]));
            String none = OpenSslTokens.unsigned("none", claims(good));
            refused("no token", serving, auth(none + "."));
            refused("no token", serving, auth(none + "." + parts[2]));
            refused("no token", serving, auth("nonsense"));
            refused("missing", serving, "{}");
            refused("expired", serving, auth(tokens.hs256(SECRET, claims(-60, good))));
            refused("when it expires", serving, auth(tokens.hs256(SECRET, "{\"sub\":\"ada\"}")));
            String later = claims(7_200, good + ",\"nbf\":" + soon);
            refused("not good yet", serving, auth(tokens.hs256(SECRET, later)));
            String them = claims(",\"iss\":\"them\",\"aud\":\"chat\"");
            refused("another issuer", serving, auth(tokens.hs256(SECRET, them)));
            String shop = claims(",\"iss\":\"us\",\"aud\":\"shop\"");
            refused("somebody else", serving, auth(tokens.hs256(SECRET, shop)));
        }
    }

    @Test
    void aPublicKeyVerifiesWhatItsPrivatePartHasSigned() throws Exception {
        tokens.rsa("rsa").ec("ec");
        try (Serving serving = serve("[live]\njwt-public-key-file = \"rsa.pem\"\n")) {
            admitted(serving, auth(tokens.rs256("rsa", claims(""))));
            refused("not signed", serving, auth(tokens.es256("ec", claims(""))));
            String text = Files.readString(folder.resolve("rsa.pem"));
            refused("not signed", serving, auth(tokens.hs256(text, claims(""))));
            refused("not signed", serving, auth(tokens.hs256(text.strip(), claims(""))));
        }
        try (Serving serving = serve("[live]\njwt-public-key-file = \"ec.pem\"\n")) {
            admitted(serving, auth(tokens.es256("ec", claims(""))));
            refused("not signed", serving, auth(tokens.rs256("rsa", claims(""))));
        }
    }

    @Test
    void aCertificateHasAPublicKeyToo() throws Exception {
        tokens.rsa("rsa").openssl("req -x509 -new -key rsa.key -out cert.pem -subj /CN=id");
        try (Serving serving = serve("[live]\njwt-public-key-file = \"cert.pem\"\n")) {
            admitted(serving, auth(tokens.rs256("rsa", claims(""))));
        }
    }

    @Test
    void anyOfSeveralWaysAdmits() throws Exception {
        tokens.rsa("rsa");
        String keys = "jwt-secret-file = \"jwt.secret\"\njwt-public-key-file = \"rsa.pem\"\n";
        try (Serving serving = serve("[live]\n" + keys, "--password", "secret")) {
            admitted(serving, "{\"password\":\"secret\"}");
            admitted(serving, auth(tokens.hs256(SECRET, claims(""))));
            admitted(serving, auth(tokens.rs256("rsa", claims(""))));
            admitted(serving, ticket(serving, "{\"password\":\"secret\"}").body());
            refused("the password is wrong", serving, "{\"password\":\"guess\"}");
        }
    }

    /** Where nobody knows a password, nobody proves to know it. */
    @Test
    void withoutAPasswordThereIsNoTicket() throws Exception {
        try (Serving serving = serve("[live]\njwt-secret-file = \"jwt.secret\"\n")) {
            assertEquals(401, ticket(serving, "{}").statusCode());
            assertEquals(401, ticket(serving, "{\"password\":\"\"}").statusCode());
        }
    }

    @Test
    void aServerForTheNetworkIsContentWithAKeyOfTokens() throws Exception {
        String secret = folder.resolve("jwt.secret").toString();
        serve("", "--host", "0.0.0.0", "--jwt-secret-file", secret).close();
        tokens.ec("ec");
        String key = folder.resolve("ec.pem").toString();
        serve("", "--host", "0.0.0.0", "--jwt-public-key-file", key).close();
    }

    // ---- files

    @Test
    void aKeyThatChangesCountsForThoseWhoComeLater() throws Exception {
        String other = SECRET.toUpperCase(Locale.ROOT);
        String before = auth(tokens.hs256(SECRET, claims("")));
        try (Serving serving = serve("[live]\njwt-secret-file = \"jwt.secret\"\n");
                Talker there = Talker.in(serving.port(), before)) {
            Files.writeString(folder.resolve("jwt.secret"), other);
            serving.applyConfiguration();
            assertEquals("437[1]", there.ask("[\"echo\",1]"), "it stays");
            refused("not signed", serving, before);
            admitted(serving, auth(tokens.hs256(other, claims(""))));
            Files.writeString(folder.resolve("jwt.secret"), "short");
            String said =
                    assertThrows(InvalidConfiguration.class, serving::applyConfiguration)
                            .getMessage();
            assertTrue(said.contains("has 5 bytes, but needs 32"), said);
            admitted(serving, auth(tokens.hs256(other, claims(""))));
        }
    }

    /** There is no file of options to be reloaded. */
    @Test
    void aKeyOfTheCommandLineIsLookedAtAgainToo() throws Exception {
        Path secret = folder.resolve("jwt.secret");
        String other = SECRET.toUpperCase(Locale.ROOT);
        List<String> options =
                List.of("--port", "0", "--connects", "0", "--jwt-secret-file", secret.toString());
        try (Serving serving = serve(options)) {
            Files.writeString(secret, other);
            String token = auth(tokens.hs256(other, claims("")));
            long giveUp = System.nanoTime() + 20_000_000_000L; // it looks each second
            String answer = "";
            while (!answer.startsWith("40{") && System.nanoTime() < giveUp) {
                try (Talker talker = new Talker(serving.port(), token)) {
                    answer = talker.next();
                }
            }
            assertTrue(answer.startsWith("40{"), answer);
        }
    }

    @Test
    void checkSaysWhereAKeyCannotBeUsed() throws Exception {
        tokens.pair("small", "RSA", "rsa_keygen_bits:1024");
        Files.writeString(folder.resolve("short"), "0123456789");
        Files.write(folder.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
        check("jwt-secret-file = \"short\"", 19, "has 10 bytes, but needs 32 (RFC 7518 3.2)");
        check("jwt-secret-file = \"binary\"", 19, "is not a text file");
        check("jwt-public-key-file = \"short\"", 23, "no line is -----BEGIN PUBLIC KEY-----");
        check("jwt-public-key-file = \"small.pem\"", 23, "this one 1024");
        check("jwt-public-key-file = \"small.key\"", 23, "openssl pkey -in KEY -pubout");
        check("jwt-secret-file = \"jwt.secret\"", 0, "");
    }

    private void check(String line, int column, String said) throws Exception {
        Path file = folder.resolve("sirocco.toml");
        Files.writeString(file, "[live]\n" + line + "\n");
        var err = new StringWriter();
        CommandLine command = Main.commandLine().setErr(new PrintWriter(err));
        int code = command.setOut(new PrintWriter(new StringWriter())).execute("check", "" + file);
        assertEquals(said.isEmpty() ? 0 : 2, code, err::toString);
        String place = file + ":2:" + column + ": error: ";
        assertTrue(said.isEmpty() || err.toString().startsWith(place), err::toString);
        assertTrue(err.toString().contains(said), err::toString);
        assertFalse(err.toString().contains("0123456789"), "secrets are not printed");
    }

    // ---- what follows from a token

    @Test
    void whoseTokenExpiresIsClosedAndComesBackAsTheSameWithAFreshOne() throws Exception {
        String toml = "[live]\njwt-secret-file = \"jwt.secret\"\nrecovery = \"2m\"\n";
        try (Serving serving = serve(toml);
                Talker other = Talker.in(serving.port(), auth(tokens.hs256(SECRET, claims(""))))) {
            String stale = tokens.hs256(SECRET, claims(-25, "")); // clocks may differ by 30 s
            try (Talker talker = new Talker(serving.port(), auth(stale))) {
                String hello = talker.next();
                assertTrue(hello.startsWith("40{"), hello);
                talker.join("kitchen");
                other.ask("[\"publish\",\"kitchen\",\"one\"]");
                String[] one = talker.next().split("\"");
                assertEquals("closed", talker.next());
                other.ask("[\"publish\",\"kitchen\",\"two\"]");
                String last =
                        ",\"offset\":\"%s\",\"pid\":\"%s\"}"
                                .formatted(one[one.length - 2], hello.split("\"")[7]);
                refused("expired", serving, auth(stale).replace("}", last));
                String fresh = auth(tokens.hs256(SECRET, claims(""))).replace("}", last);
                try (Talker again = new Talker(serving.port(), fresh)) {
                    assertEquals(hello, again.next(), "the same");
                    assertTrue(again.next().startsWith("42[\"two\""));
                }
                String eve = claims("").replace("ada", "eve");
                String stolen = auth(tokens.hs256(SECRET, eve)).replace("}", last);
                try (Talker thief = new Talker(serving.port(), stolen)) {
                    assertNotEquals(hello, thief.next(), "another user is another client");
                }
            }
        }
    }

    @Test
    void aTokenMayNameTheRooms() throws Exception {
        String toml = "[live]\njwt-secret-file = \"jwt.secret\"\njwt-rooms = \"rooms\"\n";
        String some = claims(",\"rooms\":[\"kitchen\",\"chat/*\"]");
        try (Serving serving = serve(toml, "--password", "secret");
                Talker ada = Talker.in(serving.port(), auth(tokens.hs256(SECRET, some)));
                Talker nowhere = Talker.in(serving.port(), auth(tokens.hs256(SECRET, claims(""))));
                Talker known = Talker.in(serving.port(), "{\"password\":\"secret\"}")) {
            ada.join("kitchen").join("chat/7");
            forbidden(ada.ask("[\"join\",\"hall\"]"));
            forbidden(ada.ask("[\"join\",\"chat/8\",\"hall\"]"));
            forbidden(ada.ask("[\"publish\",\"hall\",\"smell\"]"));
            assertEquals("437[]", ada.ask("[\"publish\",\"chat/8\",\"smell\"]"));
            forbidden(nowhere.ask("[\"join\",\"kitchen\"]"));
            known.join("hall").join("kitchen");
            assertEquals("437[]", known.ask("[\"publish\",\"chat/8\",\"not heard\"]"));
            assertEquals("437[]", known.ask("[\"publish\",\"kitchen\",\"heard\"]"));
            assertEquals("42[\"heard\"]", ada.next(), "chat/8 was not joined, since hall was not");
        }
    }

    private static void forbidden(String answer) {
        assertTrue(answer.contains("\"code\":\"forbidden\""), answer);
    }

    @Test
    void theSecretIsNeverPrinted() throws Exception {
        try (Serving serving = serve("[live]\njwt-secret-file = \"jwt.secret\"\n")) {
            assertFalse(serving.toString().contains(SECRET));
        }
        var out = new StringWriter();
        Main.commandLine()
                .setOut(new PrintWriter(out))
                .execute("check", folder.resolve("sirocco.toml").toString());
        assertTrue(out.toString().contains("jwt-secret-file"), out::toString);
        assertFalse(out.toString().contains(SECRET));
        assertEquals(32, SECRET.getBytes(UTF_8).length, "the shortest that is long enough");
    }
}

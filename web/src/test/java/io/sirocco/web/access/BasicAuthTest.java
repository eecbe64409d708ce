// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.testkit.ManualClock;
import io.sirocco.web.access.Serving.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.crypto.bcrypt.BCrypt;

/** Who has a name and a password gets in, and what becomes of those who have none. */
class BasicAuthTest {
    @TempDir static Path folder;
    private static Users users;

    private final ManualClock clock = ManualClock.belowZero();
    private final Serving serving = new Serving();

    @BeforeAll
    static void list() throws IOException {
        users =
                Users.read(
                        Files.write(
                                folder.resolve("users"),
                                List.of(line("ann", "open sesame"), line("żółw", "ą:ę"))));
    }

    private static String line(String name, String password) {
        return name + ":" + BCrypt.hashpw(password, BCrypt.gensalt("$2y", 5));
    }

    private BasicAuth door() {
        return new BasicAuth("The \"inner\" circle", users, clock, serving.rejections);
    }

    private static Response name(Request request) {
        return Response.bytes(((String) request.attribute(BasicAuth.USER).get()).getBytes(UTF_8));
    }

    private static String basic(String nameAndPassword) {
        return "Authorization: Basic "
                + Base64.getEncoder().encodeToString(nameAndPassword.getBytes(UTF_8));
    }

    @Test
    void theRightPasswordGetsInUnderItsNameWhereverHandlersRun() throws Exception {
        serving.start(
                routes -> {
                    routes.filter(door());
                    for (ExecutionMode handling : ExecutionMode.values()) {
                        routes.route("GET", "/" + handling, BasicAuthTest::name)
                                .executionMode(handling);
                    }
                });
        try (serving) {
            for (ExecutionMode handling : ExecutionMode.values()) {
                for (int i = 0; i < 2; i++) { // the second time it is remembered
                    Reply reply =
                            serving.ask(
                                    "127.0.0.1", "GET", "/" + handling, basic("ann:open sesame"));
                    assertEquals(200, reply.status(), handling::name);
                    assertEquals("ann", reply.body(), handling::name);
                }
            }
            assertEquals(Map.of("basic-auth", 0L), serving.counts());
        }
    }

    @Test
    void namesAndPasswordsAreUtf8AndAPasswordMayHaveColons() throws Exception {
        try (var site = serving.start(BasicAuthTest::name, door())) {
            Reply reply = site.get(basic("żółw:ą:ę"));
            assertEquals(200, reply.status());
            assertEquals(new String("żółw".getBytes(UTF_8), "ISO-8859-1"), reply.body());
        }
    }

    @Test
    void whoHasNoPasswordIsAskedForOne() throws Exception {
        try (var site = serving.start(door())) {
            var strangers =
                    new ArrayList<>(List.of("Accept: */*", basic("ann:open"), basic("eve:")));
            strangers.add("Authorization: Bearer YW5uOm9wZW4gc2VzYW1l");
            strangers.add("Authorization: Basic %%%");
            strangers.add("Authorization: Basic");
            strangers.add(basic("no colon"));
            strangers.add(basic("ann:open sesame\0"));
            for (String stranger : strangers) {
                Reply reply = site.get(stranger);
                assertEquals(401, reply.status(), stranger);
                assertEquals(
                        "Basic realm=\"The \\\"inner\\\" circle\", charset=\"UTF-8\"",
                        reply.field("WWW-Authenticate"));
            }
            assertEquals((long) strangers.size(), site.counts().get("basic-auth"));
        }
    }

    @Test
    void theRequestGoesOnWithItsBodyAfterThePasswordWasVerified() throws Exception {
        serving.start(
                routes ->
                        routes.filter(door())
                                .post("/", request -> Response.bytes(request.body().bytes())));
        try (serving;
                var client = serving.client("127.0.0.1")) {
            for (String body : List.of("body", "next")) {
                client.send("POST", "/", basic("ann:open sesame"), "Content-Length: 4");
                client.send(body);
            }
            assertEquals("body", client.reply().body());
            assertEquals("next", client.reply().body());
        }
    }

    @Test
    void whoGuessesIsStoppedAndNobodyElseIs() throws Exception {
        try (var site = serving.start(door())) {
            for (int i = 0; i < 10; i++) {
                Reply reply = site.ask("127.0.0.2", "GET", "/", basic("ann:guess" + i));
                assertEquals(401, reply.status());
            }
            Reply stopped = site.ask("127.0.0.2", "GET", "/", basic("ann:open sesame"));
            assertEquals(429, stopped.status());
            assertEquals("6", stopped.field("Retry-After"));
            assertEquals(401, site.ask("127.0.0.2", "GET", "/").status(), "no guess, no stop");
            assertEquals(200, site.ask("127.0.0.3", "GET", "/", basic("ann:open sesame")).status());
            assertEquals(
                    200,
                    site.ask("127.0.0.2", "GET", "/", basic("ann:open sesame")).status(),
                    "what is remembered is no guess");
            clock.advance(Duration.ofSeconds(6));
            assertEquals(401, site.ask("127.0.0.2", "GET", "/", basic("ann:one more")).status());
            assertEquals(429, site.ask("127.0.0.2", "GET", "/", basic("ann:another")).status());
        }
    }

    @Test
    void theRightPasswordIsNoGuessHoweverManyComeFromOneAddress() throws Exception {
        var lines = new ArrayList<String>();
        for (int i = 0; i < 15; i++) { // more than there are guesses
            lines.add(line("user" + i, "secret" + i));
        }
        Users crowd = Users.read(Files.write(folder.resolve("crowd"), lines));
        var door = new BasicAuth("Crowd", crowd, clock, serving.rejections);
        try (var site = serving.start(door)) {
            for (int i = 0; i < lines.size(); i++) {
                assertEquals(200, site.get(basic("user" + i + ":secret" + i)).status());
            }
        }
    }

    @Test
    void whatWasRightIsRememberedForFiveMinutes() throws Exception {
        try (var site = serving.start(door())) {
            assertEquals(200, site.get(basic("ann:open sesame")).status());
            clock.advance(Duration.ofSeconds(299));
            for (int i = 0; i < 10; i++) {
                assertEquals(401, site.get(basic("ann:guess")).status());
            }
            assertEquals(200, site.get(basic("ann:open sesame")).status());
            clock.advance(Duration.ofSeconds(1));
            assertEquals(429, site.get(basic("ann:open sesame")).status(), "it is not verified");
        }
    }

    @Test
    void aBrowsersConnectionsAreAllAnsweredByOneVerification() throws Exception {
        try (var site = serving.start(door())) {
            var clients = new ArrayList<Serving.Client>();
            for (int i = 0; i < 20; i++) { // more than there are guesses
                var client = site.client("127.0.0.1");
                client.send("GET", "/", basic("ann:open sesame"));
                clients.add(client);
            }
            for (var client : clients) {
                try (client) {
                    assertEquals(200, client.reply().status());
                }
            }
        }
    }

    /**
     * A check holds one thread for some 20 ms here, and 128 may wait: of 300 at once some cannot.
     */
    @Test
    void whoComesWhenTooManyWaitIsToldSoAndWasNotWrong() throws Exception {
        String slow = "ann:" + BCrypt.hashpw("open sesame", BCrypt.gensalt("$2y", 6));
        Users list = Users.read(Files.write(folder.resolve("slow"), List.of(slow)));
        var door = new BasicAuth("Slow", list, clock, serving.rejections);
        try (var site = serving.start(door)) {
            var clients = new ArrayList<Serving.Client>();
            for (int i = 0; i < 300; i++) {
                clients.add(site.client("127.0.1." + (1 + i / 10)));
            }
            for (int i = 0; i < clients.size(); i++) {
                clients.get(i).send("GET", "/", basic("ann:guess" + i));
            }
            var busy = new int[30]; // by address, of ten each
            for (int i = 0; i < clients.size(); i++) {
                try (var client = clients.get(i)) {
                    Reply reply = client.reply();
                    if (reply.status() == 503) {
                        busy[i / 10]++;
                        assertEquals("1", reply.field("Retry-After"));
                    } else {
                        assertEquals(401, reply.status());
                    }
                }
            }
            int all = Arrays.stream(busy).boxed().toList().indexOf(10);
            assertTrue(all >= 0, "nobody was told to come again: " + Arrays.toString(busy));
            Reply again = site.ask("127.0.1." + (1 + all), "GET", "/", basic("ann:open sesame"));
            assertEquals(200, again.status(), "ten were busy, not wrong");
        }
    }

    @Test
    void whatIsRememberedIsBoundToNameAndPassword() {
        var one = Fingerprint.of(new Credentials("a", "bc".getBytes(UTF_8)));
        assertEquals(one, Fingerprint.of(new Credentials("a", "bc".getBytes(UTF_8))));
        for (var other :
                List.of(
                        new Credentials("ab", "c".getBytes(UTF_8)),
                        new Credentials("a", "bcd".getBytes(UTF_8)),
                        new Credentials("b", "bc".getBytes(UTF_8)))) {
            assertEquals(false, one.equals(Fingerprint.of(other)), other.name());
        }
    }

    @Test
    void aRealmThatCannotBeSentIsRefused() {
        var rejections = new Rejections();
        for (String realm : List.of("a\r\nX: 1", "ż")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new BasicAuth(realm, users, clock, rejections));
        }
    }
}

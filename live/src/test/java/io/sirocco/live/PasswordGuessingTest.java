// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** One address may be wrong ten times at once, whatever it guesses, and over what. */
class PasswordGuessingTest {
    private static final byte[] SECRET = "0123456789abcdef0123456789abcdef".getBytes();
    private static final Consumer<LiveSettings> SAID =
            c -> c.address(r -> r.header("X-Client").orElse("192.0.2.1")).anyConnects();

    private static String webSocket(Service service, String client, String auth) {
        var builder = Peer.HTTP.newWebSocketBuilder().header("X-Client", client);
        try (Peer peer = Peer.open(service.port, "transport=websocket", builder)) {
            peer.next();
            return peer.send("40" + auth).next();
        }
    }

    private static String polling(Service service, String client, String auth) {
        var opening = Peer.get(service.port, "EIO=4&transport=polling", "X-Client", client);
        String query = Peer.query(opening.body());
        Peer.post(service.port, query, "40" + auth);
        String answer = Peer.get(service.port, query).body();
        Peer.post(service.port, query, "1");
        return answer;
    }

    private static int looked(Service service, int tries, String auth) {
        int looked = 0;
        for (int i = 0; i < tries; i++) {
            String answer =
                    i % 2 == 0
                            ? webSocket(service, "192.0.2.1", auth)
                            : polling(service, "192.0.2.1", auth);
            assertTrue(answer.startsWith("44{"), answer);
            boolean limited = answer.contains("\"data\":{\"code\":\"limited\"}");
            assertTrue(limited || answer.contains("\"unauthorized\""), answer);
            looked += limited ? 0 : 1;
        }
        return looked;
    }

    @Test
    void passwordsAreGuessedTenTimesAndNoMore() {
        try (var service = new Service(SAID.andThen(c -> c.password("secret")))) {
            assertEquals(10, looked(service, 40, "{\"password\":\"guess\"}"));
            String right = webSocket(service, "192.0.2.1", "{\"password\":\"secret\"}");
            assertTrue(right.contains("\"limited\""), "it would tell which is right: " + right);
            String other = webSocket(service, "192.0.2.2", "{\"password\":\"secret\"}");
            assertTrue(other.startsWith("40{"), other);
        }
    }

    @Test
    void severalGuessesOverOneConnectionAreCounted() {
        try (var service = new Service(SAID.andThen(c -> c.password("secret")))) {
            int looked = 0;
            for (int i = 0; i < 5; i++) {
                try (Peer peer = Peer.session(service.port)) {
                    for (int j = 0; j < 7; j++) {
                        String answer = peer.send("40{\"password\":\"" + j + "\"}").next();
                        looked += answer.contains("\"unauthorized\"") ? 1 : 0;
                    }
                }
            }
            assertEquals(10, looked);
        }
    }

    @Test
    void ticketsAndTokensAreGuessedTenTimesAndNoMore() {
        try (var service = new Service(SAID.andThen(c -> c.tickets(Duration.ofMinutes(1))))) {
            assertEquals(10, looked(service, 30, "{\"ticket\":\"a.1.b.c\"}"));
        }
        try (var service = new Service(SAID.andThen(c -> c.jwt(Jwt.hmac(SECRET))))) {
            assertEquals(10, looked(service, 30, "{\"token\":\"a.b.c\"}"));
        }
    }

    @Test
    void whatAProgramRefusesIsCountedIfSomethingWasOffered() {
        Authenticator nobody = attempt -> Admission.refused("no");
        try (var service = new Service(SAID.andThen(c -> c.authenticate(nobody)))) {
            assertEquals(10, looked(service, 30, "{\"user\":\"ada\",\"pin\":1}"));
        }
        try (var service = new Service(SAID.andThen(c -> c.authenticate(nobody)))) {
            assertEquals(30, looked(service, 30, "{}"));
        }
    }

    @Test
    void anIpv6NetworkOf64BitsIsOneClient() {
        try (var service = new Service(SAID.andThen(c -> c.password("secret")))) {
            int looked = 0;
            for (int i = 0; i < 20; i++) {
                String answer =
                        webSocket(service, "2001:db8::" + i, "{\"password\":\"" + i + "\"}");
                looked += answer.contains("\"unauthorized\"") ? 1 : 0;
            }
            assertEquals(10, looked);
        }
        var limit = new Limit.Bucket(4, Duration.ofHours(1));
        try (var service = new Service(SAID.andThen(c -> c.connects(limit)))) {
            int connected = 0;
            for (int i = 0; i < 8; i++) {
                String client = "2001:db8::" + i;
                connected +=
                        Peer.get(service.port, "EIO=4&transport=polling", "X-Client", client)
                                                .statusCode()
                                        == 200
                                ? 1
                                : 0;
            }
            assertEquals(4, connected);
        }
    }

    @Test
    void noCredentialsAndThoseThatWereGoodAreNoGuesses() {
        try (var service = new Service(SAID.andThen(c -> c.password("secret")))) {
            assertEquals(30, looked(service, 30, ""));
        }
        try (var service = new Service(SAID.andThen(c -> c.tickets(Duration.ofMinutes(1))))) {
            String auth = "{\"ticket\":\"" + service.live.ticket("ada") + "\"}";
            assertTrue(webSocket(service, "192.0.2.1", auth).startsWith("40{"));
            assertEquals(30, looked(service, 30, auth), "it was used before");
        }
    }

    @Test
    void theRightPasswordIsNoGuessHoweverManyComeAtOnce() {
        try (var service = new Service(SAID.andThen(c -> c.password("secret")))) {
            for (int i = 0; i < 30; i++) {
                String answer = webSocket(service, "192.0.2.1", "{\"password\":\"secret\"}");
                assertTrue(answer.startsWith("40{"), answer);
            }
        }
    }

    /** Offers {@code auth} so often at the same time; returns the answers, and how many began. */
    private static List<String> atOnce(int peers, String auth, Admission result) throws Exception {
        var verifying = new AtomicInteger();
        var may = new CountDownLatch(1);
        Authenticator slow =
                attempt -> {
                    verifying.incrementAndGet();
                    may.await();
                    return result;
                };
        var answers = new ArrayList<String>();
        try (var service = new Service(SAID.andThen(c -> c.authenticate(slow)))) {
            var all = new ArrayList<Peer>();
            for (int i = 0; i < peers; i++) {
                Peer peer = Peer.session(service.port).send("40" + auth).send("40/none,");
                assertTrue(peer.next().startsWith("44/none,"));
                all.add(peer);
            }
            service.await("as many as may be are verified", () -> verifying.get() >= 10);
            answers.add(verifying + " verified at once");
            may.countDown();
            all.forEach(peer -> answers.add(peer.next()));
            all.forEach(Peer::close);
        }
        return answers;
    }

    @Test
    void guessesAtTheSameTimeAreNoMoreThanOneAfterTheOther() throws Exception {
        List<String> answers = atOnce(40, "{\"pin\":1}", Admission.refused("no"));
        assertEquals("10 verified at once", answers.getFirst());
        assertEquals(10, answers.stream().filter(a -> a.contains("\"unauthorized\"")).count());
        assertEquals(30, answers.stream().filter(a -> a.contains("\"limited\"")).count());
    }

    @Test
    void rightOnesAtTheSameTimeWaitForEachOtherAndAreAllAdmitted() throws Exception {
        List<String> answers = atOnce(40, "{\"pin\":1}", Admission.anybody());
        assertEquals(40, answers.stream().filter(a -> a.startsWith("40{")).count(), "" + answers);
    }

    @Test
    void whatNobodyCanVerifyIsNoGuess() {
        Authenticator fails =
                attempt -> {
                    throw new IllegalStateException("on purpose");
                };
        Authenticator refuses = attempt -> Admission.refused("no");
        try (var service =
                new Service(SAID.andThen(c -> c.authenticate(refuses).authenticate(fails)))) {
            for (int i = 0; i < 30; i++) {
                String answer = webSocket(service, "192.0.2.1", "{\"pin\":1}");
                assertTrue(answer.contains("\"unavailable\""), answer);
            }
        }
        try (var service =
                new Service(SAID.andThen(c -> c.password("secret").authenticate(fails)))) {
            int verified = 0;
            for (int i = 0; i < 30; i++) {
                String answer = webSocket(service, "192.0.2.1", "{\"password\":\"guess\"}");
                verified += answer.contains("\"unavailable\"") ? 1 : 0;
            }
            assertEquals(10, verified, "the password was verified, whatever the other says");
        }
    }

    @Test
    void theLimitMayBeAnotherOrNone() {
        Consumer<LiveSettings> two = c -> c.password("secret").guesses(2, Duration.ofHours(1));
        try (var service = new Service(SAID.andThen(two))) {
            assertEquals(2, looked(service, 10, "{\"password\":\"guess\"}"));
        }
        Consumer<LiveSettings> any = c -> c.password("secret").guesses(0, Duration.ofHours(1));
        try (var service = new Service(SAID.andThen(any))) {
            assertEquals(30, looked(service, 30, "{\"password\":\"guess\"}"));
        }
    }
}

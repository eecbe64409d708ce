// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.client.LiveClient;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Who may come in. */
class AuthenticationTest {
    private static final byte[] SECRET = "0123456789abcdef0123456789abcdef".getBytes();

    private static void admitted(Service service, String auth) {
        try (Peer peer = Peer.session(service.port).send("40" + auth)) {
            String answer = peer.next();
            assertTrue(answer.startsWith("40{\"sid\":"), auth + ": " + answer);
        }
    }

    private static String refused(Service service, String auth) {
        try (Peer peer = Peer.session(service.port).send("40" + auth)) {
            String answer = peer.next();
            assertTrue(answer.startsWith("44{"), auth + ": " + answer);
            assertTrue(answer.contains("\"data\":{\"code\":\"unauthorized\"}"), answer);
            return answer;
        }
    }

    @Test
    void aPasswordAdmitsWhateverItsCharacters() {
        try (var service = new Service(c -> c.password("a/b c%?é"))) {
            admitted(service, "{\"password\":\"a/b c%?é\"}");
            refused(service, "{\"password\":\"a/b c%?\"}");
            refused(service, "{\"password\":7}");
            refused(service, "");
        }
    }

    @Test
    void aRefusalNamesWhatTheClientHasSent() {
        try (var service =
                new Service(
                        c ->
                                c.password("secret")
                                        .jwt(Jwt.hmac(SECRET))
                                        .tickets(Duration.ofSeconds(30)))) {
            String ticket = "{\"ticket\":\"" + service.live.ticket("Ada") + "\"}";
            admitted(service, ticket);
            assertTrue(
                    refused(service, ticket)
                            .contains("\"message\":\"the ticket was used before\""));
            assertTrue(
                    refused(service, "{\"password\":\"guess\"}")
                            .contains("\"message\":\"the password is wrong\""));
            assertTrue(
                    refused(service, "")
                            .contains(
                                    "\"the password is missing; the token is missing; the ticket is"
                                            + " missing\""));
        }
    }

    @Test
    void aPasswordThatChangesConcernsThoseWhoComeLater() {
        try (var service = new Service(c -> c.password("old"));
                Peer before = Peer.client(service.port, "{\"password\":\"old\"}")) {
            service.live.onRequest("alive", (c, a) -> true);
            service.live.authenticate(a -> a.password("new"));
            refused(service, "{\"password\":\"old\"}");
            admitted(service, "{\"password\":\"new\"}");
            before.send("420[\"alive\"]").expects("430[true]");
        }
    }

    @Test
    void aTicketIsForOneConnectionAndExpires() throws Exception {
        try (var service = new Service(c -> c.tickets(Duration.ofSeconds(30)))) {
            service.live.onConnect(c -> service.say(c.user().orElse("nobody")));
            String ticket = service.live.ticket("Ada é");
            admitted(service, "{\"ticket\":\"" + ticket + "\"}");
            assertEquals("Ada é", service.next());
            assertTrue(refused(service, "{\"ticket\":\"" + ticket + "\"}").contains("before"));
            String forged = service.live.ticket("Ada");
            refused(service, "{\"ticket\":\"x" + forged.substring(1) + "\"}");
            refused(service, "{\"ticket\":\"a.b.c.d\"}");
        }
        try (var service = new Service(c -> c.tickets(Duration.ofMillis(1)))) {
            String ticket = service.live.ticket("Ada");
            while (System.currentTimeMillis() < Long.parseLong(ticket.split("\\.")[1])) {
                LockSupport.parkNanos(200_000);
            }
            assertTrue(refused(service, "{\"ticket\":\"" + ticket + "\"}").contains("expired"));
        }
    }

    private static String token(Instant until, String issuer, byte[] secret) throws Exception {
        var claims =
                new JWTClaimsSet.Builder()
                        .subject("ada")
                        .issuer(issuer)
                        .expirationTime(Date.from(until))
                        .build();
        var jwt = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims);
        jwt.sign(new MACSigner(secret));
        return "{\"token\":\"" + jwt.serialize() + "\"}";
    }

    @Test
    void aTokenAdmitsWhenItsSignatureItsTimeAndItsIssuerAreGood() throws Exception {
        Jwt rules = Jwt.hmac(SECRET).issuer("https://id.example.org");
        Instant later = Instant.now().plusSeconds(60);
        try (var service = new Service(c -> c.jwt(rules))) {
            service.live.onConnect(c -> service.say(c.user().orElse("nobody")));
            admitted(service, token(later, "https://id.example.org", SECRET));
            assertEquals("ada", service.next());
            refused(service, token(later, "https://evil.example", SECRET));
            refused(service, token(later, "https://id.example.org", new byte[32]));
            Instant past = Instant.now().minusSeconds(60);
            refused(service, token(past, "https://id.example.org", SECRET));
            var plain = new PlainJWT(new JWTClaimsSet.Builder().subject("ada").build());
            refused(service, "{\"token\":\"" + plain.serialize() + "\"}");
            refused(service, "{\"token\":\"x\"}");
        }
    }

    @Test
    void aProgramDecidesByWhatTheFirstRequestSaid() {
        try (var service =
                new Service(
                        c ->
                                c.authenticate(
                                        a ->
                                                a.header("User-Agent").isPresent()
                                                        ? Admission.as(a.auth("name").orElse("?"))
                                                        : Admission.refused("no agent")))) {
            service.live.onConnect(c -> service.say(c.user().orElse("nobody")));
            admitted(service, "{\"name\":\"bob\"}");
            assertEquals("bob", service.next());
        }
    }

    record Key(int number) {}

    @Test
    void whatDoesNotFitIsRefusedAndSaidToTheClientNotToTheLog() {
        PrintStream before = System.err; // the log of tests
        var log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, UTF_8));
        try (var service =
                new Service(
                        c ->
                                c.authenticate(
                                        a -> Admission.as("key " + a.auth(Key.class).number())))) {
            String answer = refused(service, "{\"number\":\"seven\"}");
            assertTrue(answer.contains("no Key: it does not fit"), answer);
            admitted(service, "{\"number\":7}");
        } finally {
            System.setErr(before);
        }
        assertFalse(log.toString(UTF_8).contains("failed"), log.toString(UTF_8));
    }

    @Test
    void anAuthenticatorThatThrowsHasTheClientComeAgainAndTellsNothing() {
        try (var service =
                        new Service(
                                c ->
                                        c.password("right")
                                                .authenticate(
                                                        a -> {
                                                            throw new IllegalStateException("sql");
                                                        }));
                Peer peer = Peer.session(service.port)) {
            String answer = peer.send("40{\"password\":\"wrong\"}").next();
            assertTrue(answer.startsWith("44{"), answer);
            assertTrue(answer.contains("\"data\":{\"code\":\"unavailable\"}"), answer);
            assertFalse(answer.contains("sql") || answer.contains("wrong"), answer);
            admitted(service, "{\"password\":\"right\"}");
        }
    }

    @Test
    void aClientComesAgainToAnAuthenticatorThatHasThrown() throws Exception {
        var once = new AtomicBoolean();
        Authenticator broken =
                attempt -> {
                    if (once.compareAndSet(false, true)) {
                        throw new StackOverflowError();
                    }
                    return Admission.as("ada");
                };
        try (var service = new Service(c -> c.authenticate(broken));
                var client = LiveClient.create("http://127.0.0.1:" + service.port)) {
            client.connect().get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void aProgramRefusesWithACodeAndDataOfItsOwn() {
        Authenticator bans =
                attempt -> Admission.refused("banned", "come back later", Map.of("days", 3));
        try (var service = new Service(c -> c.password("p").authenticate(bans));
                Peer peer = Peer.session(service.port)) {
            String answer = peer.send("40").next();
            assertTrue(answer.startsWith("44{\"message\":\"come back later\",\"data\":{"), answer);
            assertTrue(answer.contains("\"code\":\"banned\""), answer);
            assertTrue(answer.contains("\"days\":3"), answer);
            assertEquals(1, service.live.metrics().refused().get("banned"));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> Admission.refused("two words", "a code is one", Map.of()));
    }

    @Test
    void codesThatAProgramMakesUpAreCountedByASetOfThem() {
        var next = new AtomicInteger();
        Authenticator each =
                attempt -> Admission.refused("no" + next.incrementAndGet(), "no", Map.of());
        try (var service = new Service(c -> c.authenticate(each).anyConnects())) {
            for (int i = 0; i < 100; i++) {
                try (Peer peer = Peer.session(service.port).send("40")) {
                    assertTrue(peer.next().startsWith("44{"));
                }
            }
            Map<String, Long> refused = service.live.metrics().refused();
            assertEquals(65, refused.size());
            assertEquals(36, refused.get("other"));
        }
    }

    @Test
    void aTicketThatCannotBeLookedUpIsNotWrongAndAPasswordStillAdmits() {
        Broker away =
                Between.memory(
                        "spend",
                        spent -> CompletableFuture.failedStage(new BrokerException("away")));
        try (var service =
                        new Service(
                                c -> c.tickets(Duration.ofSeconds(30)).password("p").broker(away));
                Peer peer = Peer.session(service.port)) {
            String ticket = "\"ticket\":\"" + service.live.ticket("ada") + "\"";
            String answer = peer.send("40{" + ticket + "}").next();
            assertTrue(answer.contains("\"data\":{\"code\":\"unavailable\"}"), answer);
            assertTrue(!answer.contains("away") && !answer.contains("password"), answer);
            admitted(service, "{\"password\":\"p\"," + ticket + "}");
        }
    }

    @Test
    void oneOfSeveralAdmits() {
        try (var service = new Service(c -> c.password("p").tickets(Duration.ofSeconds(30)))) {
            admitted(service, "{\"password\":\"p\"}");
            admitted(service, "{\"ticket\":\"" + service.live.ticket("x") + "\"}");
            refused(service, "{}");
        }
    }

    @Test
    void aNamespaceMayHaveAnAuthenticationOfItsOwn() {
        try (var service = new Service()) {
            service.live.namespace("/admin").authenticate(a -> a.password("p"));
            try (Peer peer = Peer.client(service.port)) {
                peer.send("40/admin,");
                assertTrue(peer.next().startsWith("44/admin,{"));
                peer.send("40/admin,{\"password\":\"p\"}");
                assertTrue(peer.next().startsWith("40/admin,{\"sid\":"));
            }
        }
    }

    @Test
    void whoGuessesOverOneSessionIsCutOff() {
        try (var service = new Service(c -> c.password("secret"));
                Peer peer = Peer.session(service.port)) {
            for (int i = 1; i <= 8; i++) {
                peer.send("40{\"password\":\"guess" + i + "\"}");
                assertTrue(peer.next().startsWith("44{"));
            }
            assertTrue(peer.next().startsWith("closed"), "the ninth is not heard");
        }
    }

    @Test
    void whoIsRefusedWhenTheDeadlineIsOverHasAnother() {
        var may = new CountDownLatch(1);
        try (var service =
                        new Service(
                                c ->
                                        c.connectTimeout(Duration.ofMillis(100))
                                                .authenticate(
                                                        a -> {
                                                            may.await();
                                                            return Admission.refused("no");
                                                        }));
                Peer peer = Peer.session(service.port).send("40")) {
            for (int i = 0; i < 2; i++) { // whose own deadlines end behind that of the first
                assertTrue(Peer.session(service.port).end().startsWith("closed"));
            }
            may.countDown();
            assertTrue(peer.next().startsWith("44{"));
            assertTrue(peer.next().startsWith("closed"));
        } finally {
            may.countDown();
        }
    }
}

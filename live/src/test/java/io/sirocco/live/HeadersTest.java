// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What is kept of the headers of a client: not its cookies, for as long as it is connected. */
class HeadersTest {
    private static final String COOKIE = "session=" + "c".repeat(6_000);

    @Test
    void cookiesAreThereToAuthenticateAndForgottenThen() {
        try (var service = new Service(authenticating(Duration.ofSeconds(10)));
                Peer peer = connect(service)) {
            assertEquals(COOKIE, service.next());
            ClientInfo info = service.live.clients().iterator().next().info();
            assertEquals(Optional.of("me/1"), info.header("user-agent"));
            assertTrue(info.header("Host").isPresent());
            assertEquals(Optional.empty(), info.header("Cookie"));
            assertEquals(Optional.empty(), info.header("X-Mine"));
            assertEquals(Optional.empty(), info.header("Accept-Language"), "it is too long");
            peer.send("41");
        }
    }

    @Test
    void headersThatTheProgramNamesAreKept() {
        try (var service =
                        new Service(
                                authenticating(Duration.ofSeconds(10))
                                        .andThen(c -> c.headers("Cookie", "x-mine")));
                Peer peer = connect(service)) {
            ClientInfo info = service.live.clients().iterator().next().info();
            assertEquals(Optional.of(COOKIE), info.header("Cookie"));
            assertEquals(Optional.of("yes"), info.header("X-Mine"));
            peer.send("41");
        }
    }

    @Test
    void aSecondNamespaceIsAuthenticatedByCookiesToo() {
        try (var service = new Service(authenticating(Duration.ofMillis(500)))) {
            service.live.namespace("/admin");
            try (Peer peer = connect(service)) {
                peer.send("40/admin,");
                assertEquals(COOKIE, service.next());
                assertEquals(COOKIE, service.next());
                Client client = service.live.clients().iterator().next();
                service.await(
                        "the cookies are forgotten",
                        () -> client.info().header("Cookie").isEmpty());
                assertEquals(Optional.of("me/1"), client.info().header("user-agent"));
            }
        }
    }

    private static Consumer<LiveSettings> authenticating(Duration deadline) {
        return c -> c.connectTimeout(deadline);
    }

    private static Peer connect(Service service) {
        service.live.authenticate(
                a ->
                        a.authenticate(
                                attempt -> {
                                    service.say(attempt.header("Cookie").orElse("none"));
                                    return Admission.anybody();
                                }));
        var builder =
                Peer.HTTP
                        .newWebSocketBuilder()
                        .header("Cookie", COOKIE)
                        .header("User-Agent", "me/1")
                        .header("Accept-Language", "de".repeat(400))
                        .header("X-Mine", "yes");
        Peer peer = Peer.open(service.port, "transport=websocket", builder);
        peer.next();
        String hello = peer.send("40").next();
        assertTrue(hello.startsWith("40{"), hello);
        return peer;
    }
}

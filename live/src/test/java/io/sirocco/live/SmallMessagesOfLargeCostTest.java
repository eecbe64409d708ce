// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is short on the wire and takes much memory, from clients that nobody knows first. */
class SmallMessagesOfLargeCostTest {
    private static final String POLLING = "EIO=4&transport=polling";

    @Test
    void aLongMessageBeforeAdmissionEndsTheSession() {
        try (var service = new Service(c -> c.password("secret"))) {
            Peer peer =
                    Peer.session(service.port).send("40{\"a\":[" + "{},".repeat(6_000) + "{}]}");
            assertTrue(peer.end().startsWith("closed 1008 a long message"), "and is not parsed");
            Peer.client(service.port, "{\"password\":\"secret\"}")
                    .send("420[\"unknown\",\"" + "x".repeat(100_000) + "\"]");
        }
    }

    /** Three characters are an object with a map of its own. */
    @Test
    void aMessageOfVeryManyValuesEndsTheSession() {
        try (var service = new Service()) {
            service.live.onRequest("count", (_, arguments) -> arguments.size());
            Peer peer = Peer.client(service.port);
            peer.send("420[\"count\"" + ",[]".repeat(9_000) + "]").expects("430[9000]");
            String commas = ",[{:".repeat(50_000);
            peer.send("421[\"count\",\"" + commas + "\\\"" + commas + "\"]").expects("431[1]");
            peer.send("422[\"count\"" + ",[]".repeat(300_000) + "]");
            assertTrue(peer.end().startsWith("closed 1008 more than"));
        }
    }

    /** Sent on, it would be as many attachments. */
    @Test
    void anAttachmentThatIsNamedTwiceEndsTheSession() {
        try (var service = new Service()) {
            String placeholder = "{\"_placeholder\":true,\"num\":0}";
            Peer peer = Peer.client(service.port);
            peer.send("451-[\"a\"," + placeholder + "," + placeholder + "]").send(new byte[10]);
            assertEquals("closed 1008 two placeholders refer to one attachment", peer.end());
        }
    }

    @Test
    void whatIsNoJsonIsNotExplainedInWordsOfALibrary() {
        try (var service = new Service()) {
            Peer peer = Peer.client(service.port);
            peer.send("42[\"a\"," + "[".repeat(2_000) + "]".repeat(2_000) + "]");
            assertEquals(
                    "closed 1008 no JSON, or deeper or with longer numbers than are taken",
                    peer.end());
        }
    }

    /** Nothing of them stays, so nothing may count. */
    @Test
    void requestsForAWebSocketThatAreNoneCountNothing() throws IOException {
        try (var service = new Service(LiveSettings::anyConnects);
                var client = new Poller(service.port)) {
            String cookie = "a=" + "x".repeat(12_000);
            long most = Runtime.getRuntime().maxMemory() / 16 / cookie.length();
            String none = "GET /socket.io/?EIO=4&transport=websocket";
            for (long i = 0; i <= most; i++) {
                client.ask(none, "", "Cookie: " + cookie);
            }
            assertEquals(200, Peer.get(service.port, POLLING, "Cookie", cookie).statusCode());
        }
    }

    @Test
    void theHeadersOfSessionsWithoutAClientAreBounded() throws IOException {
        var clock = new ManualClock(); // however long it takes to open them
        try (var service =
                        new Service(
                                c -> c.anyConnects().connectTimeout(Duration.ofSeconds(5)),
                                routes -> {},
                                clock);
                var client = new Poller(service.port)) {
            String cookie = "a=" + "x".repeat(12_000);
            long most = Runtime.getRuntime().maxMemory() / 16 / cookie.length();
            long opened = 0;
            String session = "GET /socket.io/?" + POLLING;
            while (client.ask(session, "", "Cookie: " + cookie).startsWith("0{")) {
                assertTrue(++opened <= most, "no end of them");
            }
            assertTrue(opened > most / 2, opened + " of " + most);
            clock.advance(5_100);
            service.await(
                    "there is room again",
                    () -> Peer.get(service.port, POLLING).statusCode() == 200);
        }
    }
}

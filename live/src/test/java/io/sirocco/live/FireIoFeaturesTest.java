// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.live.broker.Limit;
import io.sirocco.live.client.Connected;
import io.sirocco.live.client.LiveClient;
import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What Fire-IO had, or promised; docs/from-fire-io.md has the list. */
class FireIoFeaturesTest {

    @Test
    void threeProtocolsAreServedOnOnePortAndEachClientSaysWhichItIs() throws IOException {
        try (var service =
                        new Service(
                                c -> {},
                                routes -> routes.get("/time", request -> Response.text("noon")));
                var poller = new Poller(service.port);
                Peer peer = Peer.session(service.port)) {
            service.live.onConnect(
                    client ->
                            service.say(
                                    client.info().transport()
                                            + " from "
                                            + client.info().address()
                                            + client.info().tags()));
            assertEquals("noon", poller.ask("GET /time", ""));
            poller.connect("{\"tags\":{\"os\":\"Linux\"}}");
            assertEquals("polling from 127.0.0.1{os=Linux}", service.next());
            peer.send("40{\"tags\":{\"os\":\"Plan 9\"}}");
            assertEquals("websocket from 127.0.0.1{os=Plan 9}", service.next());
        }
    }

    @Test
    void anAddressIsWhatTheProgramSaysItIs() {
        try (var service =
                new Service(
                        c ->
                                c.connects(new Limit.Bucket(1, Duration.ofHours(1)))
                                        .address(q -> q.header("X-Real-IP").orElse("none")))) {
            String query = "EIO=4&transport=polling";
            for (String each : new String[] {"203.0.113.7", "203.0.113.8"}) {
                assertEquals(200, Peer.get(service.port, query, "X-Real-IP", each).statusCode());
                assertEquals(429, Peer.get(service.port, query, "X-Real-IP", each).statusCode());
            }
        }
    }

    /** The old way: a steady client stays out until it is silent. */
    @Test
    void untilSilenceIsThereForWhoWantsIt() {
        var clock = new ManualClock();
        Live live =
                Live.create(
                        c ->
                                c.messages(new Limit.UntilSilence(2, Duration.ofSeconds(5)))
                                        .ping(Duration.ofHours(9), Duration.ofHours(9)));
        live.onRequest("e", (client, a) -> true);
        Server server =
                Server.start(
                        c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1).clock(clock),
                        routes -> routes.mount("/socket.io", live));
        try (Peer peer = Peer.client(server.port())) {
            peer.send("420[\"e\"]").expects("430[true]").send("421[\"e\"]").expects("431[true]");
            for (int id = 2; id < 5; id++) {
                clock.advance(4_000);
                peer.send("42" + id + "[\"e\"]");
                assertTrue(peer.next().contains("limited"));
            }
            clock.advance(5_500);
            peer.send("425[\"e\"]").expects("435[true]");
        } finally {
            server.stop(Duration.ZERO);
        }
    }

    @Test
    void aServerThatIsStartedAnewFiveTimesSeesOneConnectEach() throws Exception {
        var connects = new AtomicInteger();
        Server server = start(0, connects);
        int port = server.port();
        var connected = new LinkedBlockingQueue<Connected>();
        try (var client =
                LiveClient.create(
                        "http://127.0.0.1:" + port,
                        c -> c.reconnect(Duration.ofMillis(1), Duration.ofMillis(20)))) {
            client.onConnected(connected::add);
            client.on("motd", String.class, text -> client.send("heard"));
            client.connect();
            for (int i = 0; i < 5; i++) {
                assertTrue(connected.poll(20, TimeUnit.SECONDS) != null);
                assertTrue(client.request("alive", Duration.ofSeconds(20), Boolean.class));
                server.stop(Duration.ZERO);
                server = start(port, connects);
            }
            assertTrue(connected.poll(20, TimeUnit.SECONDS) != null);
            assertTrue(client.request("alive", Duration.ofSeconds(20), Boolean.class));
            assertEquals(6, connects.get());
        } finally {
            server.stop(Duration.ZERO);
        }
    }

    private static Server start(int port, AtomicInteger connects) {
        Live live = Live.create(c -> {});
        live.onConnect(client -> connects.incrementAndGet());
        live.onConnect(client -> client.send("motd", "welcome"));
        live.onRequest("alive", (client, a) -> true);
        return Server.start(
                c -> c.listen(new InetSocketAddress("127.0.0.1", port)).loops(1),
                routes -> routes.mount("/socket.io", live));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Config;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.LoopStats;
import io.sirocco.net.RateLimiter;
import io.sirocco.net.TransportKind;
import io.sirocco.net.WhenFull;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who gets in, how many at once, and what becomes of the rest. */
@OnEachTransport
final class SlotsTest {
    private static final String LOOP = "slots-loop-0";

    @Parameter TransportKind transport;

    private final ManualClock clock = new ManualClock();

    private Server start(Consumer<Config> more) {
        return Server.start(
                config -> {
                    config.port(0).transport(transport).loops(1).name("slots");
                    more.accept(config);
                },
                routes -> routes.get("/hello", request -> Response.text("hello")));
    }

    private static LoopStats stats(Server server) {
        return server.stats().getFirst().net();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REPLACE") // which closes idle ones
    void whoFindsAllSlotsTakenIsServedWhenOneIsFree(WhenFull whenFull) throws IOException {
        try (Server server = start(config -> config.maxConnectionsPerLoop(3, whenFull))) {
            List<Client> inside = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                inside.add(Client.to(server.port()));
                assertEquals("hello", inside.getLast().get("/hello").text());
            }
            try (Client further = Client.to(server.port())) {
                further.ask("/hello");
                assertTrue(further.silentFor(200));
                assertEquals("hello", inside.getFirst().get("/hello").text());
                inside.getFirst().close();
                assertEquals("hello", further.answer().text());
                assertEquals(0, stats(server).parked());
            }
            for (Client client : inside) {
                client.close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REPLACE")
    void aFullServerRests(WhenFull whenFull) throws IOException {
        try (Server server = start(config -> config.maxConnectionsPerLoop(1, whenFull));
                Client inside = Client.to(server.port());
                Client one = Client.to(server.port());
                Client two = Client.to(server.port())) {
            inside.get("/hello");
            one.ask("/hello");
            two.ask("/hello");
            assertRests(server, one);
        }
    }

    @Test
    void twoSilentClientsCostNothing() throws IOException {
        try (Server server = start(config -> {});
                Client one = Client.to(server.port());
                Client two = Client.to(server.port())) {
            one.get("/hello");
            two.get("/hello");
            assertRests(server, one);
        }
    }

    /** Under 4 % of a core, and hardly a turn, for half a second. */
    private static void assertRests(Server server, Client waiting) throws IOException {
        assertTrue(waiting.silentFor(100));
        long turns = stats(server).turns();
        long cpu = cpuOfLoop();
        assertTrue(waiting.silentFor(500));
        assertTrue(cpuOfLoop() - cpu < 20_000_000, "nanoseconds: " + (cpuOfLoop() - cpu));
        assertTrue(stats(server).turns() - turns < 20);
    }

    /** Nanoseconds; 0 where the system has no such file. */
    private static long cpuOfLoop() throws IOException {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            for (Path task : tasks.toList()) {
                if (Files.readString(task.resolve("comm")).strip().equals(LOOP)) {
                    return Long.parseLong(
                            Files.readString(task.resolve("schedstat")).split(" ")[0]);
                }
            }
        } catch (NoSuchFileException e) {
            return 0;
        }
        throw new AssertionError("there is no " + LOOP);
    }

    @Test
    void whoIsParkedTooLongIsTurnedAway() throws IOException {
        try (Server server =
                        start(
                                config ->
                                        config.maxConnectionsPerLoop(1, WhenFull.PARK)
                                                .parkedConnections(10, Duration.ofSeconds(20))
                                                .idleTimeout(Duration.ZERO)
                                                .clock(clock));
                Client inside = Client.to(server.port());
                Client parked = Client.to(server.port())) {
            inside.get("/hello");
            Eventually.await("it is parked", () -> stats(server).parked() == 1);
            clock.advance(19_000);
            assertTrue(parked.silentFor(100));
            clock.advance(2_000);
            assertTrue(parked.over());
            assertEquals("hello", inside.get("/hello").text());
        }
    }

    @Test
    void noMoreAreParkedThanTheBoundAndTheRestWaitsInTheBacklog() throws IOException {
        try (Server server =
                start(
                        config ->
                                config.maxConnectionsPerLoop(1, WhenFull.PARK)
                                        .parkedConnections(2, Duration.ofSeconds(20)))) {
            Client inside = Client.to(server.port());
            inside.get("/hello");
            List<Client> waiting = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int parked = Math.min(2, i + 1);
                waiting.add(Client.to(server.port()).ask("/hello"));
                Eventually.await("it is parked", () -> stats(server).parked() >= parked);
            }
            inside.close();
            for (Client client : waiting) {
                assertEquals("hello", client.answer().text());
                client.close();
            }
            assertEquals(5, stats(server).accepted());
        }
    }

    @Test
    void aSlotIsFreeAgainHoweverItsConnectionEnded() throws IOException {
        try (Server server = start(config -> config.maxConnectionsPerLoop(1, WhenFull.BACKLOG))) {
            for (int round = 0; round < 20; round++) {
                Client client = Client.to(server.port());
                assertEquals("hello", client.get("/hello").text());
                switch (round % 4) {
                    case 0 -> client.close();
                    case 1 -> client.reset();
                    case 2 -> client.send("nonsense\r\n\r\n").answer();
                    default -> client.end().over();
                }
                if (round % 4 > 1) {
                    client.close();
                }
            }
            assertEquals(20, stats(server).accepted());
        }
    }

    @Test
    void acceptsKeepTheirPace() throws IOException {
        try (Server server =
                start(config -> config.acceptRate(RateLimiter.perSecond(20)).clock(clock))) {
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                clients.add(Client.to(server.port()));
            }
            for (int moment = 0; moment < 20; moment++) {
                long atMost = 3 + moment; // the burst, and one that was under way
                assertTrue(
                        stats(server).accepted() <= atMost,
                        stats(server).accepted() + " at " + moment * 50 + " ms");
                clock.advance(50);
                int sure = moment / 3;
                Eventually.await("one more gets in", () -> stats(server).accepted() >= sure);
            }
            for (Client client : clients) {
                client.ask("/hello");
            }
            Eventually.await(
                    "all are in",
                    () -> {
                        clock.advance(50);
                        return stats(server).accepted() == 20;
                    });
            for (Client client : clients) {
                assertEquals("hello", client.answer().text());
                client.close();
            }
        }
    }

    @Test
    void acceptsTakeUpAChangedPace() throws IOException {
        RateLimiter pace = RateLimiter.perSecond(1);
        try (Server server = start(config -> config.acceptRate(pace))) {
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                clients.add(Client.to(server.port()).ask("/hello"));
            }
            pace.rate(RateLimiter.UNLIMITED);
            for (Client client : clients) {
                assertEquals("hello", client.answer().text());
                client.close();
            }
        }
    }

    @Test
    void requestsBeyondTheBoundAreToldSoAndTheConnectionGoesOn() throws Exception {
        var entered = new CountDownLatch(1);
        var release = new CountDownLatch(1);
        try (Server server =
                        Server.start(
                                config ->
                                        config.port(0)
                                                .transport(transport)
                                                .loops(1)
                                                .maxConcurrentRequests(1),
                                routes ->
                                        routes.get(
                                                "/wait",
                                                request -> {
                                                    entered.countDown();
                                                    release.await();
                                                    return Response.text("released");
                                                }));
                Client one = Client.to(server.port());
                Client two = Client.to(server.port())) {
            one.ask("/wait");
            entered.await();
            var refusal = two.get("/wait");
            assertEquals(503, refusal.status());
            assertEquals("1", refusal.field("Retry-After"));
            release.countDown();
            assertEquals("released", one.answer().text());
            assertEquals("released", two.get("/wait").text());
        }
    }
}

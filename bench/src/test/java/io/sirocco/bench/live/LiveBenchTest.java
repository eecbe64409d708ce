// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.Failure;
import io.sirocco.live.broker.Limit;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What clients do to a server of {@code live}, and what they count, to the last one. */
@OnEachTransport
class LiveBenchTest {
    private static final Duration SHORT = Duration.ofMillis(150);

    @Parameter TransportKind transport;

    private LivePlan plan(InetSocketAddress server, LiveWork work, Consumer<LivePlan> configure) {
        return LivePlan.on(
                server,
                "test",
                "/socket.io/",
                work,
                plan ->
                        configure.accept(
                                plan.transport(transport)
                                        .clients(40)
                                        .duration(SHORT)
                                        .timeout(Duration.ofSeconds(30))
                                        .password(ChannelServer.PASSWORD)));
    }

    private LiveResult run(ChannelServer server, LiveWork work, Consumer<LivePlan> configure)
            throws IOException {
        return LiveBench.run(plan(server.address(), work, configure), second -> {});
    }

    @Test
    void allConnectWithATicketEachAndSayGoodBye() throws Exception {
        var reasons = new ConcurrentLinkedQueue<String>();
        var users = new ConcurrentLinkedQueue<String>();
        try (var server = new ChannelServer()) {
            server.live.onConnect(client -> users.add(client.user().orElse("nobody")));
            server.live.onClose((client, reason) -> reasons.add(reason.name()));
            LiveResult result =
                    run(
                            server,
                            LiveWork.CONNECT,
                            p -> p.loops(2).inFlight(7).times(3).duration(Duration.ofHours(1)));
            assertEquals(Map.of(), result.figures().failures());
            assertEquals(120, result.figures().requests());
            assertEquals(120, result.figures().latency().getTotalCount());
            assertEquals(40, result.opening().ready());
            assertEquals(40, result.opening().held());
            assertEquals(3, result.opening().times().size());
            assertTrue(result.clean());
        }
        assertEquals(120, users.stream().filter("ada"::equals).count());
        assertEquals(120, reasons.stream().filter("LEFT"::equals).count());
    }

    @Test
    void noMoreThanToldConnectAtTheSameTime() throws Exception {
        var waiting = new AtomicInteger();
        var most = new AtomicInteger();
        try (var server =
                new ChannelServer(
                        c ->
                                c.authenticate(
                                        attempt -> {
                                            most.accumulateAndGet(
                                                    waiting.incrementAndGet(), Math::max);
                                            Thread.yield();
                                            waiting.decrementAndGet();
                                            return io.sirocco.live.Admission.anybody();
                                        }))) {
            LiveResult result = run(server, LiveWork.CONNECT, p -> p.inFlight(3).ticket(false));
            assertEquals(40, result.opening().ready());
            assertTrue(most.get() <= 3, () -> most + " at once");
        }
    }

    @Test
    void aMissingPasswordIsNamed() {
        String hint = "the server admits nobody without a password: set SIROCCO_PASSWORD";
        try (var server = new ChannelServer()) {
            Consumer<LivePlan> without = p -> p.ticket(false).password = Optional.empty();
            var e = assertThrows(IOException.class, () -> run(server, LiveWork.ECHO, without));
            assertEquals("not one client became ready: " + hint, e.getMessage());
            LivePlan plan = plan(server.address(), LiveWork.ECHO, without);
            assertEquals(Optional.of(hint), LiveCheck.of(plan));
        }
    }

    @Test
    void aWrongPasswordIsToldByThoseWhoWereRefused() {
        try (var server = new ChannelServer()) {
            var e =
                    assertThrows(
                            IOException.class,
                            () -> run(server, LiveWork.CONNECT, p -> p.password("wrong")));
            assertEquals(
                    "not one client became ready: POST /ticket was answered with 401",
                    e.getMessage());
            e =
                    assertThrows(
                            IOException.class,
                            () ->
                                    run(
                                            server,
                                            LiveWork.ECHO,
                                            p -> p.password("wrong").ticket(false)));
            assertTrue(e.getMessage().contains("unauthorized"), e.getMessage());
        }
    }

    @Test
    void aServerThatLimitsConnectsIsSaidToDoSo() throws Exception {
        try (var server =
                new ChannelServer(c -> c.connects(new Limit.Bucket(1, Duration.ofHours(1))))) {
            LiveResult result = run(server, LiveWork.CONNECT, p -> p.clients(2));
            assertEquals(
                    "the upgrade was answered with 429: it limits the connects of one address"
                            + " (sirocco live: --connects 0)",
                    result.firsts().get(Failure.REFUSED));
        }
    }

    @Test
    void whoeverIsRefusedIsCountedBesideThoseWhoAreIn() throws Exception {
        try (var server = new ChannelServer(c -> c.clients(25))) {
            LiveResult result = run(server, LiveWork.CONNECT, p -> {});
            assertEquals(25, result.opening().ready());
            assertEquals(Map.of(Failure.REFUSED, 15L), result.figures().failures());
            assertEquals("the upgrade was answered with 503", result.firsts().get(Failure.REFUSED));
        }
    }

    @Test
    void whereNobodyListensTheReasonIsTold() {
        var server = new ChannelServer();
        InetSocketAddress gone = server.address();
        server.close();
        var e =
                assertThrows(
                        IOException.class,
                        () -> LiveBench.run(plan(gone, LiveWork.CONNECT, p -> {}), second -> {}));
        assertTrue(e.getMessage().startsWith("not one client became ready: "), e.getMessage());
    }

    @Test
    void echoesAreCountedByTheirNumbersHoweverManyAreUnderWay() throws Exception {
        var asked = new AtomicInteger();
        try (var server = new ChannelServer()) {
            server.live.on("echo", (client, arguments) -> asked.incrementAndGet());
            LiveResult result =
                    run(server, LiveWork.ECHO, p -> p.loops(2).clients(5).inFlight(9).size(300));
            assertEquals(Map.of(), result.figures().failures());
            assertTrue(result.figures().requests() > 0);
            assertEquals(asked.get(), result.figures().latency().getTotalCount());
        }
    }

    @Test
    void atAFixedRateAsManyAreAskedAsAreDue() throws Exception {
        try (var server = new ChannelServer()) {
            LiveResult result =
                    run(
                            server,
                            LiveWork.ECHO,
                            p -> p.clients(3).rate(1_000).duration(Duration.ofMillis(500)));
            assertEquals(Map.of(), result.figures().failures());
            assertEquals(500, result.figures().latency().getTotalCount());
        }
    }

    @Test
    void eachMessageReachesAllWhetherTimesAreFixedOrNot() throws Exception {
        try (var server = new ChannelServer()) {
            for (double rate : new double[] {0, 200}) {
                LiveResult result =
                        run(server, LiveWork.FANOUT, p -> p.loops(2).rate(rate).warmUp(SHORT));
                var deliveries = result.fanout().orElseThrow();
                assertEquals(Map.of(), result.figures().failures());
                assertEquals(40, deliveries.receivers());
                assertTrue(deliveries.published() > 0);
                assertEquals(40 * deliveries.published(), deliveries.delivered());
                assertEquals(deliveries.delivered(), result.figures().latency().getTotalCount());
            }
        }
    }

    @Test
    @Tag("peers")
    void receiversAreHeldIdleWhileOthersAskForEchoes() throws Exception {
        try (var server = new ChannelServer()) {
            LiveResult result =
                    run(
                            server,
                            LiveWork.FANOUT,
                            p -> p.loops(2).rate(20).hold(SHORT).probes(200).watch(true));
            var deliveries = result.fanout().orElseThrow();
            assertEquals(Map.of(), result.figures().failures());
            assertEquals(57, result.opening().ready()); // a publisher, and 16 who ask
            assertEquals(40, deliveries.receivers());
            assertEquals(40 * deliveries.published(), deliveries.delivered());
            var holding = result.holding().orElseThrow();
            assertTrue(holding.time().compareTo(SHORT) >= 0);
            assertTrue(holding.probes().getTotalCount() > 0);
            assertTrue(holding.meanwhile().getTotalCount() > 0);
            assertTrue(holding.server().orElseThrow().heap().isPresent());
        }
    }

    @Test
    void moreThanSayGoodByeAtTheSameTimeLeaveAll() throws Exception {
        try (var server = new ChannelServer()) {
            LiveResult result = run(server, LiveWork.CONNECT, p -> p.clients(1_100));
            assertEquals(Map.of(), result.figures().failures());
            assertEquals(1_100, result.opening().held());
        }
    }

    @Test
    void whoReadsNoMoreIsCutOffAndHoldsUpNobody() throws Exception {
        try (var server =
                new ChannelServer(c -> c.budget(512 << 10, io.sirocco.live.Overflow.CLOSE))) {
            LiveResult result =
                    run(
                            server,
                            LiveWork.FANOUT,
                            p ->
                                    p.clients(5)
                                            .stalled(1)
                                            .inFlight(4)
                                            .size(20_000)
                                            .duration(Duration.ofMillis(500)));
            var deliveries = result.fanout().orElseThrow();
            assertEquals(Map.of(), result.figures().failures());
            assertEquals(5 * deliveries.published(), deliveries.delivered());
            assertEquals(1, deliveries.stalledCut());
            assertTrue(deliveries.stalledGot() < deliveries.published());
        }
    }

    @Test
    @Tag("peers")
    void theServersProcessIsFoundAndWhatItUsed() throws Exception {
        try (var server = new ChannelServer()) {
            LiveResult result =
                    run(server, LiveWork.CONNECT, p -> p.watch(true).hold(Duration.ofMillis(50)));
            var cost = result.server().orElseThrow();
            assertEquals(ProcessHandle.current().pid(), cost.pids().getFirst());
            assertTrue(cost.heap().isPresent() && cost.rss() > 0);
        }
    }

    @Test
    void anInterruptEndsItWithWhatThereIsAndWhatIsUnderWayMayComeIn() throws Exception {
        try (var server = new ChannelServer()) {
            Thread worker = Thread.currentThread();
            for (LiveWork work : List.of(LiveWork.ECHO, LiveWork.FANOUT)) {
                var once = new AtomicBoolean(true);
                LiveResult result =
                        LiveBench.run(
                                plan(
                                        server.address(),
                                        work,
                                        p -> {
                                            p.tick = Duration.ofMillis(100);
                                            p.duration(Duration.ofHours(1));
                                        }),
                                second -> {
                                    boolean measured = second.p99() > 0; // not while they open
                                    if (measured && once.getAndSet(false)) {
                                        worker.interrupt();
                                    }
                                });
                assertTrue(result.figures().requests() > 0);
                assertEquals(Map.of(), result.figures().failures());
                assertFalse(worker.isInterrupted());
            }
        }
    }

    @Test
    void whatIsRightIsFoundToBeSo() {
        try (var server = new ChannelServer()) {
            for (int size : new int[] {0, 200, 100_000}) { // each has frames of another head
                LivePlan plan = plan(server.address(), LiveWork.CONNECT, p -> p.size(size));
                assertEquals(Optional.empty(), LiveCheck.of(plan), () -> size + " bytes");
            }
        }
    }

    @Test
    void aServerWhoseClientsRecoverIsRight() {
        try (var server = new ChannelServer(c -> c.recovery(Duration.ofMinutes(2)))) {
            LivePlan plan = plan(server.address(), LiveWork.CONNECT, p -> {});
            assertEquals(Optional.empty(), LiveCheck.of(plan));
        }
    }

    @Test
    void aCheckThatIsTakenForGuessingSaysSo() {
        try (var server = new ChannelServer()) {
            LivePlan plan = plan(server.address(), LiveWork.CONNECT, p -> {});
            Optional<String> wrong = Optional.empty();
            for (int i = 0; i < 12 && wrong.isEmpty(); i++) {
                wrong = LiveCheck.of(plan);
            }
            assertTrue(wrong.orElseThrow().contains("refuses this address for now"), wrong.get());
        }
    }

    @Test
    void aServerThatAdmitsAnybodyIsNotRight() {
        try (var server =
                new ChannelServer(c -> c.authenticate(a -> io.sirocco.live.Admission.anybody()))) {
            LivePlan plan = plan(server.address(), LiveWork.CONNECT, p -> {});
            String wrong = LiveCheck.of(plan).orElseThrow();
            assertTrue(wrong.startsWith("a wrong password was answered with 40{"), wrong);
        }
    }
}

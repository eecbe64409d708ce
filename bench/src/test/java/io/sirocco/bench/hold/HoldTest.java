// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.hold.HoldSecond.Phase;
import io.sirocco.bench.hold.Scripted.Reaction;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.FreePort;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs of {@link Hold} against servers that behave, and others that do not. */
@OnEachTransport
class HoldTest {
    private static final Duration SHORT = Duration.ofMillis(150);
    private static final Duration LONG = Duration.ofSeconds(100);

    @Parameter TransportKind transport;

    private HoldPlan plan(InetSocketAddress server, String target, Consumer<HoldPlan> configure) {
        return HoldPlan.of(
                server,
                "test",
                target,
                plan -> {
                    plan.tick = Duration.ofMillis(20);
                    plan.quiet = Duration.ofMillis(20);
                    plan.heap = false;
                    plan.connections(20)
                            .ramp(100_000)
                            .think(new Span(5, 20))
                            .duration(SHORT)
                            .pid(OptionalLong.of(ProcessHandle.current().pid()))
                            .transport(transport);
                    configure.accept(plan);
                });
    }

    /** Ends the run, as Ctrl-C does, as soon as it has come to what {@code enough} says. */
    private static HoldResult runUntil(Predicate<HoldSecond> enough, HoldPlan plan)
            throws IOException {
        return Hold.run(
                plan,
                second -> {
                    if (enough.test(second)) {
                        Thread.currentThread().interrupt();
                    }
                });
    }

    @Test
    void fiveHundredAreHeldAndAllCountsAgree() throws IOException {
        var asked = new AtomicLong();
        var server =
                Server.start(
                        config -> config.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                        routes ->
                                routes.get(
                                        "/bytes/{length}",
                                        request -> {
                                            asked.incrementAndGet();
                                            int length = Integer.parseInt(request.param("length"));
                                            return Response.bytes(new byte[length]);
                                        }));
        try (server) {
            HoldResult result =
                    Hold.run(
                            plan(
                                    (InetSocketAddress) server.addresses().getFirst(),
                                    "/bytes/" + Question.PLACE,
                                    plan ->
                                            plan.connections(500)
                                                    .pid(OptionalLong.empty())
                                                    .length(Optional.of(new Span(0, 20_000)))),
                            second -> {});
            assertTrue(result.clean(), result.toString());
            assertEquals(500, result.alive());
            assertEquals(500, result.counts().connected());
            assertEquals(asked.get(), result.counts().answers());
            assertTrue(asked.get() >= 500, asked + " requests");
            assertEquals(asked.get(), result.opening().answers() + result.holding().answers());
            assertEquals(500 * 1e3 / 12.5, result.expectedRate());
            assertEquals(Phase.RESTING, result.overTime().getLast().phase());
            assertEquals(
                    List.of(ProcessHandle.current().pid()), result.server().orElseThrow().pids());
            assertEquals(1, result.generator().processes());
            assertNotEquals(TransportKind.AUTO, result.generator().transport());
            assertFalse(result.interrupted());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Reaction.class,
            names = {"RESET", "CLOSE", "LAST_ANSWER", "GARBAGE", "TWO_ANSWERS"})
    void whatIsLostIsCountedOnceAndOpenedAgain(Reaction reaction) throws IOException {
        try (var server =
                new Scripted((c, request) -> c == 7 && request == 1 ? reaction : Reaction.ANSWER)) {
            HoldResult result =
                    runUntil(
                            second -> second.failures() > 0 && second.alive() == 20,
                            plan(server.address(), "/", plan -> plan.duration(LONG)));
            Counts counts = result.counts();
            assertEquals(1, counts.lost());
            assertEquals(reaction == Reaction.RESET ? 1 : 0, counts.resets());
            boolean closed = reaction == Reaction.CLOSE || reaction == Reaction.LAST_ANSWER;
            assertEquals(closed ? 1 : 0, counts.closed());
            boolean malformed = reaction == Reaction.GARBAGE || reaction == Reaction.TWO_ANSWERS;
            assertEquals(malformed ? 1 : 0, counts.malformed());
            assertEquals(21, counts.connected());
            assertEquals(21, server.connections.get());
            assertEquals(20, result.alive());
            assertFalse(result.clean());
        }
    }

    @Test
    void whatIsLostStaysLostWhenThatIsWished() throws IOException {
        try (var server = new Scripted((c, request) -> c == 7 ? Reaction.RESET : Reaction.ANSWER)) {
            HoldResult result =
                    Hold.run(plan(server.address(), "/", plan -> plan.reopen(false)), second -> {});
            assertEquals(19, result.alive());
            assertEquals(20, result.counts().connected());
            assertEquals(1, result.counts().lost());
        }
    }

    /** With a ramp that the connections which are lost again and again could use up alone. */
    @ParameterizedTest
    @EnumSource(
            value = Reaction.class,
            names = {"GARBAGE", "CLOSE", "RESET", "TWO_ANSWERS"})
    void aServerThatLosesEachConnectionAtOnceIsMeasuredToTheEnd(Reaction reaction)
            throws IOException {
        try (var server = new Scripted((c, request) -> reaction)) {
            HoldResult result =
                    Hold.run(plan(server.address(), "/", plan -> plan.ramp(500)), second -> {});
            assertFalse(result.interrupted());
            assertTrue(result.counts().lost() >= 20, result.counts().toString());
            assertTrue(result.heldSeconds() > 0);
        }
    }

    @Test
    void aRunEndsWhenNoConnectionIsLeft() throws IOException {
        try (var server = new Scripted((c, request) -> Reaction.CLOSE)) {
            HoldResult result =
                    Hold.run(
                            plan(server.address(), "/", plan -> plan.reopen(false).duration(LONG)),
                            second -> {});
            assertEquals(0, result.alive());
            assertEquals(20, result.counts().closed());
            assertFalse(result.interrupted());
        }
    }

    @Test
    void anAnswerOfAnotherStatusIsWrongAndNothingElse() throws IOException {
        try (var server =
                new Scripted(
                        (c, request) ->
                                c == 3 && request == 0 ? Reaction.NOT_FOUND : Reaction.ANSWER)) {
            HoldResult result = Hold.run(plan(server.address(), "/", plan -> {}), second -> {});
            assertEquals(1, result.counts().wrongStatus());
            assertEquals(0, result.counts().wrongLength());
            assertEquals(0, result.counts().lost());
            assertEquals(20, result.alive());
            assertEquals(server.requests.get(), result.counts().answers());
            assertFalse(result.clean());
        }
    }

    @Test
    void aBodyOfAnotherLengthThanWasAskedForIsWrong() throws IOException {
        try (var server =
                new Scripted(
                        (c, request) ->
                                request > 0
                                        ? Reaction.CHUNKS
                                        : c < 3 ? Reaction.ONE_BYTE_MORE : Reaction.ANSWER)) {
            HoldResult result =
                    Hold.run(
                            plan(
                                    server.address(),
                                    "/a?b=c",
                                    plan -> plan.length(Optional.of(new Span(0, 100)))),
                            second -> {});
            assertEquals(3, result.counts().wrongLength());
            assertEquals(0, result.counts().wrongStatus() + result.counts().lost());
            assertTrue(
                    server.targets.stream().allMatch(t -> t.matches("/a\\?b=c&length=\\d{1,3}")));
        }
    }

    @Test
    void withoutALengthAllMustHaveThatOfTheFirst() throws IOException {
        try (var server =
                new Scripted(
                        (c, request) ->
                                c == 0 && request == 1
                                        ? Reaction.ONE_BYTE_MORE
                                        : Reaction.ANSWER)) {
            HoldResult result =
                    runUntil(
                            second -> second.failures() > 0,
                            plan(server.address(), "/", plan -> plan.duration(LONG)));
            assertEquals(1, result.counts().wrongLength());
            assertEquals(Set.of("/"), Set.copyOf(server.targets));
        }
    }

    @Test
    void connectionsComeFromTheSourcesInTurn() throws IOException {
        try (var server = Scripted.answering()) {
            List<InetAddress> sources =
                    List.of(InetAddress.ofLiteral("127.0.3.1"), InetAddress.ofLiteral("127.0.3.9"));
            HoldResult result =
                    Hold.run(
                            plan(server.address(), "/", plan -> plan.sources(sources)),
                            second -> {});
            assertTrue(result.clean(), result.toString());
            assertEquals(Set.copyOf(sources), server.sources);
            assertEquals(2, result.generator().sources());
        }
    }

    @Test
    void withoutSourcesTheyComeFromALoopbackAddressOfTheirOwn() throws IOException {
        try (var server = Scripted.answering()) {
            Hold.run(plan(server.address(), "/", plan -> {}), second -> {});
            assertEquals(Set.of(InetAddress.ofLiteral("127.0.0.2")), server.sources);
        }
    }

    @Test
    @Tag("peers")
    void twoProcessesAddUp() throws IOException {
        try (var server = Scripted.answering()) {
            HoldResult result =
                    Hold.run(
                            plan(server.address(), "/", plan -> plan.connections(41).processes(2)),
                            second -> {});
            assertTrue(result.clean(), result.toString());
            assertEquals(2, result.generator().processes());
            assertEquals(41, result.wanted());
            assertEquals(41, result.alive());
            assertEquals(41, result.counts().connected());
            assertEquals(41, server.connections.get());
            assertEquals(server.requests.get(), result.counts().answers());
            assertEquals(
                    server.requests.get(), result.opening().answers() + result.holding().answers());
        }
    }

    @Test
    void anInterruptEndsTheRunWithWhatThereIs() throws IOException {
        try (var server = Scripted.answering()) {
            HoldResult result =
                    runUntil(
                            second -> second.alive() == 20,
                            plan(server.address(), "/", plan -> plan.duration(LONG)));
            assertTrue(result.interrupted());
            assertEquals(20, result.counts().connected());
            assertFalse(Thread.interrupted());
        }
    }

    @Test
    void aServerThatIsNotThereIsAFailure() throws IOException {
        InetSocketAddress nowhere = FreePort.tcpAddress();
        IOException refused =
                assertThrows(
                        IOException.class,
                        () -> Hold.run(plan(nowhere, "/", plan -> {}), second -> {}));
        assertTrue(
                refused.getMessage().contains("127.0.0.1:" + nowhere.getPort()),
                refused.getMessage());
    }
}

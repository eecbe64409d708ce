// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.TaskKind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A thread of a route of HTTP sends something, parks while it touches what belongs to the loop, and
 * is to leave the loop because its kind has blocked it meanwhile: it must not leave before it is
 * done with that.
 */
@Timeout(60)
class MovableThreadsTest {
    private final TaskKind kind = TaskKind.of("GET /slow");
    private final CountDownLatch touches = new CountDownLatch(1);
    private final CompletableFuture<Void> go = new CompletableFuture<>();
    private final CompletableFuture<Boolean> stayed = new CompletableFuture<>();

    private static Stream<Arguments> ways() {
        BiConsumer<Client, Runnable> lane = Client::inOrder;
        BiConsumer<Client, Runnable> backlog = (client, task) -> client.shard().execute(task);
        BiConsumer<Client, Runnable> session = (client, task) -> client.life.link().run(task);
        BiConsumer<Client, Runnable> drain =
                (client, task) -> {
                    client.shard().executeLater(task);
                    client.shard().drainHere();
                };
        return Stream.of(
                Arguments.of("to a client", lane),
                Arguments.of("to a shard", backlog),
                Arguments.of("to a session", session),
                Arguments.of("to a room", drain));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ways")
    void stayOnTheLoopUntilTheyHaveSent(String way, BiConsumer<Client, Runnable> send)
            throws Exception {
        assumeTrue(Loops.carriesVirtualThreads(), "the JVM was not started for it");
        try (var service = new Service();
                Peer _ = Peer.client(service.port)) {
            Client client = service.live.clients().iterator().next();
            Loop loop = client.shard().loop;
            Thread sends =
                    loop.startMovable(
                            kind,
                            () ->
                                    send.accept(
                                            client,
                                            () -> {
                                                touches.countDown();
                                                go.join();
                                                stayed.complete(loop.inLoop());
                                            }));
            assertTrue(touches.await(10, TimeUnit.SECONDS));
            service.await("it has parked", () -> sends.getState() == Thread.State.WAITING);
            assertTrue(loop.startVirtual(kind, this::block).join(Duration.ofSeconds(30)));
            go.complete(null);
            assertEquals(true, stayed.get());
            assertTrue(sends.join(Duration.ofSeconds(10)));
        }
    }

    /** Until the loop has found out that this kind does so. */
    private void block() {
        long giveUp = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!kind.moved() && System.nanoTime() < giveUp) {
            Thread.onSpinWait();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Loops that start and stop under traffic leave nothing behind. */
@OnEachTransport
class StartStopTest {
    @Parameter TransportKind transport;

    @Test
    void twoRoundsUnderTraffic() throws Exception {
        roundsUnderTraffic(2);
    }

    @Test
    @Tag("heavy")
    void twentyRoundsUnderTraffic() throws Exception {
        roundsUnderTraffic(20);
    }

    private void roundsUnderTraffic(int rounds) throws Exception {
        new Rig(transport).close();
        round(0);
        int descriptors = Rig.openDescriptors();
        for (int i = 1; i <= rounds; i++) {
            round(i);
        }
        Rig.until("no descriptor is left", () -> Rig.openDescriptors() <= descriptors);
        Rig.until("no thread is left", () -> threads().isEmpty());
    }

    @Test
    void theEndIsAwaitedAsLongAsConnectionsAreClosed() throws Exception {
        var ended = new CompletableFuture<Void>();
        var left = new AtomicInteger(1_000_000);
        IntSupplier closing =
                () -> {
                    if (left.addAndGet(-100_000) <= 0) {
                        ended.complete(null);
                    }
                    return left.get();
                };
        assertTrue(Loops.awaitEnd(ended, closing, Duration.ofMillis(1)));
        assertTrue(left.get() <= 0);

        var never = new CompletableFuture<Void>();
        assertFalse(Loops.awaitEnd(never, () -> 1_000_000, Duration.ofMillis(1)), "none closes");
        left.set(1_000_000);
        assertFalse(Loops.awaitEnd(never, left::getAndDecrement, Duration.ofMillis(1)), "too slow");
        assertTrue(left.get() > 999_000);
        left.set(1_000);
        assertFalse(Loops.awaitEnd(never, left::getAndDecrement, Duration.ofMillis(1)));
        assertEquals(998, left.get(), "few have one round");
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("startstop"))
                .toList();
    }

    private void round(int number) throws Exception {
        var opened = new AtomicInteger();
        var closed = new AtomicInteger();
        var answers = new AtomicInteger();
        Loops loops = Loops.start(s -> s.loops(2).transport(transport).name("startstop-" + number));
        Listener listener =
                loops.listen(
                        Rig.anyPort(),
                        c -> {
                            opened.incrementAndGet();
                            return new Protocol() {
                                @Override
                                public int received(Connection c, byte[] bytes, int from, int to) {
                                    c.write(bytes, from, to);
                                    c.writeStable(new byte[20_000], 0, 20_000);
                                    return to;
                                }

                                @Override
                                public void closed(Connection c, CloseCause cause) {
                                    closed.incrementAndGet();
                                }
                            };
                        });
        loops.datagrams(Rig.anyPort(), (d, bytes, length, from) -> {});
        var clients = new ArrayList<Thread>();
        for (int i = 0; i < 8; i++) {
            int style = i;
            clients.add(Thread.ofVirtual().start(() -> hammer(listener, style, answers)));
        }
        Rig.until("there is traffic", () -> answers.get() > 40);
        loops.close();
        for (Thread client : clients) {
            client.join();
        }
        assertEquals(opened.get(), closed.get(), "each was told of its end");
        assertTrue(opened.get() > 0);
    }

    private static void hammer(Listener listener, int style, AtomicInteger answers) {
        while (true) {
            try (Peer peer = Peer.to(listener.address())) {
                for (int i = 0; i < (style < 4 ? 1 : 1000); i++) {
                    if (peer.send("x").read(20_001).length < 20_001) {
                        break;
                    }
                    answers.incrementAndGet();
                }
                if (style == 1) {
                    peer.reset();
                }
            } catch (IOException | UncheckedIOException e) {
                if (Peer.refused(listener.address())) {
                    return;
                }
            }
        }
    }
}

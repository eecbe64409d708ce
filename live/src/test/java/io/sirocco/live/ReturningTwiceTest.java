// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Broker;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Connections with the same {@code pid} at the moment at which the server gives the client up: they
 * are one client, with one connection.
 */
class ReturningTwiceTest {
    private final CountDownLatch first = new CountDownLatch(1);
    private final CountDownLatch both = new CountDownLatch(2);
    private final CountDownLatch may = new CountDownLatch(1);
    private final AtomicInteger kept = new AtomicInteger();

    /** The rooms that a client may join; who asks waits, between the look-up and the return. */
    private final class Hesitating extends AbstractList<String> {
        @Override
        public String get(int index) {
            return "*";
        }

        @Override
        public int size() {
            return 1;
        }

        @Override
        public Stream<String> stream() {
            first.countDown();
            both.countDown();
            try {
                may.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return super.stream();
        }
    }

    private Broker noting() {
        return Between.memory(
                "keep",
                (arguments, memory) -> {
                    CompletionStage<?> done = memory.call();
                    kept.incrementAndGet();
                    return done;
                });
    }

    @Test
    void theyAreOneClientWithOneConnection() throws Exception {
        Authenticator anybody =
                attempt ->
                        new Admission.Admitted(
                                Optional.empty(), Optional.empty(), Optional.of(new Hesitating()));
        try (var service =
                new Service(
                        c ->
                                c.recovery(Duration.ofMinutes(2))
                                        .broker(noting())
                                        .authenticate(anybody))) {
            service.live.onClose((client, reason) -> service.say(reason.name()));
            Peer peer = Peer.session(service.port).send("40");
            String hello = peer.next();
            Client client = service.live.client(Peer.field(hello, "sid")).orElseThrow();
            client.join("kitchen");
            service.live.room("kitchen").send("a");
            String auth =
                    "{\"pid\":\"%s\",\"offset\":\"%s\"}"
                            .formatted(Peer.field(hello, "pid"), Peer.offset(peer.next()));
            Peer one = Peer.session(service.port).send("40" + auth);
            assertTrue(first.await(10, TimeUnit.SECONDS)); // it has taken what the broker kept
            int before = kept.get();
            client.life.keepWhole(); // as at a cut that is noticed late
            service.await("it is kept again", () -> kept.get() > before);
            Peer two = Peer.session(service.port).send("40" + auth);
            assertTrue(both.await(10, TimeUnit.SECONDS));
            client.life.giveUp(Reason.LOST);
            assertEquals("LOST", service.next());
            peer.close();
            may.countDown();
            service.await("one connection is left", () -> service.connections() == 1);
            service.live.room("kitchen").send("b");
            List<Peer> here = Stream.of(one, two).filter(ReturningTwiceTest::receives).toList();
            assertEquals(1, here.size());
            assertEquals(1, service.live.clients().size());
            here.getFirst().send("41");
            assertEquals("LEFT", service.next());
            assertEquals(0, service.live.clients().size());
        }
    }

    /** Returns whether an event comes before the end. */
    private static boolean receives(Peer peer) {
        String next = peer.next();
        return (next.startsWith("40{") ? peer.next() : next).startsWith("42[\"b\",\"");
    }
}

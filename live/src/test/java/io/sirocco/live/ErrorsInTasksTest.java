// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TaskKind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An {@link Error} in one task must not stop what waits behind it: for a loop, or for a client. */
class ErrorsInTasksTest {
    private static final Runnable OVERFLOWS =
            () -> {
                throw new StackOverflowError("on purpose");
            };

    private static Client only(Service service) {
        return service.live.clients().iterator().next();
    }

    /** A message from another thread reaches the clients of a loop after an error. */
    @Test
    void aShardGoesOnAfterAnError() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            for (int i = 0; i < 3; i++) {
                only(service).shard().executeLater(OVERFLOWS);
                service.live.broadcast("m", i);
                peer.expects("42[\"m\"," + i + "]");
            }
        }
    }

    /** What was sent to one client in the same batch is sent. */
    @Test
    void aClientGetsWhatWasSentBehindAnError() throws Exception {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            Client client = only(service);
            var held = new CountDownLatch(1);
            var release = new CountDownLatch(1);
            client.shard()
                    .executeLater(
                            () -> {
                                held.countDown();
                                awaitQuietly(release);
                            });
            assertTrue(held.await(10, TimeUnit.SECONDS));
            client.inOrder(OVERFLOWS);
            client.send("m", 1);
            release.countDown();
            peer.expects("42[\"m\",1]");
        }
    }

    /** The handlers of a client run after one whose task has failed. */
    @Test
    void anInboxGoesOnAfterAnError() throws Exception {
        try (var service = new Service();
                Peer _ = Peer.client(service.port)) {
            var inbox = new Inbox();
            TaskKind kind = TaskKind.of("test");
            var second = new CompletableFuture<Void>();
            assertTrue(inbox.add(new Inbox.Job(OVERFLOWS, null, kind)));
            assertFalse(inbox.add(new Inbox.Job(() -> second.complete(null), null, kind)));
            assertNull(inbox.run(only(service).shard().loop));
            assertTrue(second.isDone());
            assertFalse(inbox.isRunning());
            assertTrue(inbox.add(new Inbox.Job(OVERFLOWS, null, kind)), "it may be started again");
        }
    }

    /** One that is moved from the loop and fails does not stop those behind it either. */
    @Test
    void anInboxGoesOnAfterAnErrorOfWhatWasLeft() {
        var inbox = new Inbox();
        var job = new Inbox.Job(OVERFLOWS, null, TaskKind.of("test"));
        inbox.runFirst(job); // throws nothing
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.protocol.CipherKey;
import io.sirocco.net.Loops;
import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.SocketException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RemoteClientsTest {
    private final CipherKey key = CipherKey.random(new SecureRandom());
    private Loops loops;

    @BeforeEach
    void open() throws IOException {
        loops = Loops.start(settings -> settings.loops(1));
    }

    @AfterEach
    void close() {
        loops.close();
    }

    private RemoteClients clients(Duration timeout) {
        return new RemoteClients(loops, CluRig.LOOPBACK, FreePort.udp(), timeout, () -> key);
    }

    private static Inet4Address controller(int number) {
        return Inet4Address.ofLiteral("127.72.2." + number);
    }

    @Test
    void theIdleOneThatWasUsedLongestAgoIsClosed() throws Exception {
        try (RemoteClients clients = clients(Duration.ZERO)) {
            CluClient first = clients.client(controller(0));
            CluClient second = clients.client(controller(1));
            var reports = clients.register(controller(2), "{{A,0}}", report -> {});
            for (int i = 3; i < RemoteClients.MAX; i++) {
                clients.client(controller(i));
            }
            clients.client(controller(0));
            clients.client(controller(100));
            assertTrue(clients.isController(controller(0)), "used again");
            assertFalse(clients.isController(controller(1)));
            assertClosed(second);
            clients.client(controller(101));
            assertTrue(clients.isController(controller(2)), "has reports");
            assertFalse(clients.isController(controller(3)));
            clients.client(controller(0));
            for (int i = 0; i < RemoteClients.MAX; i++) {
                clients.client(controller(110 + i));
            }
            assertClosed(first);
            reports.cancel();
        }
    }

    private static void assertClosed(CluClient client) {
        var failure =
                assertThrows(
                        ExecutionException.class,
                        () -> client.execute("1").get(30, TimeUnit.SECONDS));
        assertInstanceOf(SocketException.class, failure.getCause());
    }

    /** Before, the event loop waited for a thread that waited for the event loop. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theEventLoopCallsAControllerWhileAThreadOpensAClient(boolean withNewKey) throws Exception {
        var clients = new AtomicReference<RemoteClients>();
        var about = new AtomicBoolean(); // a thread is about to open a client
        var called = new CompletableFuture<CluClient>();
        var current = new AtomicReference<>(key);
        clients.set(
                new RemoteClients(
                        loops,
                        CluRig.LOOPBACK,
                        FreePort.udp(),
                        Duration.ofSeconds(9),
                        () -> {
                            if (about.getAndSet(false)) {
                                callOnLoop(clients.get(), called);
                                if (withNewKey) {
                                    current.set(CipherKey.random(new SecureRandom()));
                                }
                            }
                            return current.get();
                        }));
        clients.get().client(controller(0));
        about.set(true);
        CompletableFuture<CluClient> opened =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return clients.get().client(controller(1));
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        opened.get(30, TimeUnit.SECONDS);
        called.get(30, TimeUnit.SECONDS);
        clients.get().close();
    }

    /** Has the event loop ask for a client; returns when the loop has begun to. */
    private void callOnLoop(RemoteClients clients, CompletableFuture<CluClient> called) {
        var begun = new CountDownLatch(1);
        loops.all()
                .getFirst()
                .execute(
                        () -> {
                            begun.countDown();
                            try {
                                called.complete(clients.client(controller(0)));
                            } catch (IOException e) {
                                called.completeExceptionally(e);
                            }
                        });
        try {
            assertTrue(begun.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void noneIsClosedWhileACallMayWaitForIt() throws Exception {
        try (RemoteClients clients = clients(Duration.ofHours(1))) {
            for (int i = 0; i < RemoteClients.MAX; i++) {
                clients.client(controller(i));
            }
            assertThrows(IOException.class, () -> clients.client(controller(100)));
            clients.client(controller(0));
        }
    }
}

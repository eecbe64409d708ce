// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.web.cache.ResponseCache;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that wait for a slow server take memory, which is bounded. */
@Timeout(60)
class ProxyMemoryTest {
    private static final int CLIENTS = 50;

    /**
     * The proxy holds the headers of the client and those for the server, so the 700 KB that the
     * clients send are more than the limit.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theHeadersForTheServerCount(boolean cached) throws Exception {
        String large = "X-Large: " + "x".repeat(7000) + "\n";
        List<RawClient> clients = new ArrayList<>();
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.awaitEnd();
                                });
                ResponseCache cache = ResponseCache.create(options -> options.memory(1 << 20));
                var proxy =
                        new ProxyServer(
                                TransportKind.NIO,
                                Upstream.of(fake.url()),
                                config -> config.memoryLimit(1 << 20),
                                options -> {
                                    if (cached) {
                                        options.cache(cache);
                                    }
                                })) {
            for (int i = 0; i < CLIENTS; i++) {
                RawClient client = proxy.client();
                clients.add(client);
                client.send("GET /" + i + " HTTP/1.1\nHost: a\n" + large + large + "\n");
            }
            assertTrue(proxy.next().startsWith("503"));
            for (RawClient client : clients) {
                client.reset();
            }
            proxy.awaitQuiet();
            ProxyServer.await(
                    "memory", () -> proxy.server.stats().getFirst().net().memoryUsed() < 100_000);
            assertEquals(0, proxy.upstream.stats().waiting());
        }
    }

    /**
     * A request that the memory has no room for does not begin, on any transport: the headers that
     * it would have copied would stay until the end of a turn that has many of them.
     */
    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"IO_URING", "EPOLL", "NIO"})
    void requestsBeyondTheMemoryDoNotBegin(TransportKind transport) throws Exception {
        String large = "X-Large: " + "x".repeat(7000) + "\n";
        List<RawClient> clients = new ArrayList<>();
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.awaitEnd();
                                });
                var proxy =
                        new ProxyServer(
                                transport,
                                Upstream.of(fake.url()),
                                config -> config.memoryLimit(1 << 20),
                                options -> {})) {
            for (int i = 0; i < 4 * CLIENTS; i++) {
                RawClient client = proxy.client();
                clients.add(client);
                client.send("GET /" + i + " HTTP/1.1\nHost: a\n" + large + large + "\n");
            }
            ProxyServer.await(
                    "all of them", () -> proxy.server.stats().getFirst().requests() == 4 * CLIENTS);
            long begun = proxy.upstream.stats().requests();
            assertTrue(begun <= (1 << 20) / (3 * 14_000), begun + " requests");
            for (RawClient client : clients) {
                client.reset();
            }
            proxy.awaitQuiet();
        }
    }
}

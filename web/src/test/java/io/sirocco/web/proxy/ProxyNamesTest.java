// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.FreePort;
import io.sirocco.testkit.OnEachTransport;
import io.sirocco.web.dns.NameServer;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Servers by name: their addresses change while requests are forwarded. */
@OnEachTransport
class ProxyNamesTest {
    private static final String GET = "GET /a HTTP/1.1\nHost: a\n\n";

    @Parameter TransportKind transport;

    /** Servers at one port of several addresses, which respond with their address. */
    private static final class Behind implements AutoCloseable {
        final int port = FreePort.tcp();
        private final List<Server> servers = new ArrayList<>();

        Behind() {
            for (int i = 1; i <= 4; i++) {
                var address = new InetSocketAddress("127.0.0." + i, port);
                servers.add(
                        Server.start(
                                c -> c.listen(address).loops(1),
                                routes ->
                                        routes.any(
                                                "/*",
                                                r -> Response.text(local(r.localAddress())))));
            }
        }

        @Override
        public void close() {
            servers.forEach(server -> server.stop(Duration.ZERO));
        }
    }

    private static String local(SocketAddress address) {
        return ((InetSocketAddress) address).getAddress().getHostAddress();
    }

    private ProxyServer proxy(NameServer names, Behind behind) {
        return new ProxyServer(
                transport,
                Upstream.of(
                        s ->
                                s.nameservers(names.address())
                                        .resolveMin(Duration.ofMillis(20))
                                        .retries(0),
                        "http://app.test:" + behind.port));
    }

    private static void awaitAddress(ProxyServer proxy) throws Exception {
        proxy.upstream.start(proxy.server);
        ProxyServer.await(
                "the first address",
                () ->
                        !proxy.upstream.servers().isEmpty()
                                && proxy.upstream.servers().stream()
                                        .allMatch(each -> each.origin.address().isPresent()));
    }

    /** Each look-up finds another address; no request fails, also without retries. */
    @Test
    void anAddressThatChangesAllTheTimeFailsNoRequest() throws Exception {
        var count = new AtomicInteger();
        NameServer.Zone changing =
                (query, tcp) -> {
                    int n = NameServer.isForIpv4(query) ? count.incrementAndGet() % 4 : count.get();
                    return NameServer.address(query, 0, "127.0.0." + (1 + n));
                };
        try (var names = new NameServer(changing);
                var behind = new Behind();
                ProxyServer proxy = proxy(names, behind)) {
            awaitAddress(proxy);
            var seen = new HashSet<String>();
            try (RawClient client = proxy.client()) {
                for (int i = 0; i < 200_000 && count.get() < 20; i++) {
                    String response = client.send(GET).response();
                    assertTrue(response.startsWith("HTTP/1.1 200"), response);
                    seen.add(response.substring(response.indexOf("\n\n") + 2));
                }
            }
            assertTrue(count.get() >= 20, "look-ups");
            assertEquals(4, seen.size(), seen.toString());
        }
    }

    @Test
    void aLookUpThatFailsKeepsTheLastAddresses() throws Exception {
        try (var names = new NameServer((q, t) -> NameServer.address(q, 0, "127.0.0.3"));
                var behind = new Behind();
                ProxyServer proxy = proxy(names, behind)) {
            awaitAddress(proxy);
            names.zone((query, tcp) -> NameServer.response(query, 0x8183));
            names.queries.clear();
            names.queries.take();
            names.queries.take();
            assertTrue(proxy.ask(GET).endsWith("127.0.0.3"));
        }
    }

    /** Several addresses are several servers; one that stays keeps its state. */
    @Test
    void anAddressThatStaysIsTheSameServer() throws Exception {
        try (var names =
                        new NameServer(
                                (q, t) -> NameServer.address(q, 0, "127.0.0.2", "127.0.0.3"));
                var behind = new Behind();
                ProxyServer proxy = proxy(names, behind)) {
            awaitAddress(proxy);
            UpstreamServer stays = proxy.upstream.servers().getLast();
            names.zone((q, t) -> NameServer.address(q, 0, "127.0.0.3", "127.0.0.4"));
            ProxyServer.await(
                    "the other address", () -> proxy.upstream.servers().getFirst() == stays);
            assertEquals(2, proxy.upstream.servers().size());
        }
    }

    /** Only the name server knows it, and is slower than the request. */
    @Test
    void theFirstRequestsWaitForTheFirstAnswer() throws Exception {
        var asked = new CountDownLatch(1);
        var answer = new CountDownLatch(1);
        NameServer.Zone slow =
                (query, tcp) -> {
                    asked.countDown();
                    awaitUninterruptibly(answer);
                    return NameServer.address(query, 60, "127.0.0.3");
                };
        try (var names = new NameServer(slow);
                var behind = new Behind();
                ProxyServer proxy = proxy(names, behind);
                RawClient first = proxy.client().send(GET);
                RawClient second = proxy.client().send(GET)) {
            asked.await();
            ProxyServer.await("both", () -> proxy.upstream.stats().inProgress() == 2);
            answer.countDown();
            assertTrue(first.response().endsWith("127.0.0.3"));
            assertTrue(second.response().endsWith("127.0.0.3"));
            proxy.awaitQuiet();
        }
    }

    @Test
    void aNameThatIsUnknownEndsTheWait() throws Exception {
        try (var names = new NameServer((q, t) -> NameServer.response(q, 0x8183));
                var behind = new Behind();
                ProxyServer proxy = proxy(names, behind)) {
            assertTrue(proxy.ask(GET).startsWith("HTTP/1.1 502"));
            proxy.awaitQuiet();
        }
    }

    /** As a reload does it, while the name server does not respond. */
    @Test
    void anUpstreamThatReplacesAnotherOneHasItsAddresses() throws Exception {
        try (var names = new NameServer((q, t) -> NameServer.address(q, 60, "127.0.0.3"));
                var behind = new Behind();
                ProxyServer before = proxy(names, behind)) {
            awaitAddress(before);
            names.zone((query, tcp) -> NameServer.response(query, 0x8182));
            try (ProxyServer after = proxy(names, behind)) {
                after.upstream.adoptAddresses(before.upstream);
                assertTrue(after.ask(GET).endsWith("127.0.0.3"));
            }
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One that leaves and comes back, as a container that restarts, over and over. */
    @Test
    void aServerThatIsAddedAgainIsLookedUpAsOftenAsAnyOther() throws Exception {
        try (var names = new NameServer((q, t) -> NameServer.address(q, 0, "127.0.0.2"));
                var behind = new Behind();
                ProxyServer proxy = proxy(names, behind)) {
            awaitAddress(proxy);
            String again = "http://again.test:" + behind.port;
            for (int i = 0; i < 20; i++) {
                names.queries.clear();
                proxy.upstream.add(again, 1);
                takeUntil("again.test", names);
                ProxyServer.await("its address", () -> proxy.upstream.servers().size() == 2);
                proxy.upstream.remove(again);
            }
            proxy.upstream.add(again, 1);
            int count = 0;
            for (int others = 0; others < 20; ) {
                String name = names.queries.take();
                others += name.equals("app.test") ? 1 : 0;
                count += name.equals("again.test") ? 1 : 0;
            }
            assertTrue(count < 100, count + " look-ups while another name had 20");
        }
    }

    private static void takeUntil(String name, NameServer names) throws InterruptedException {
        while (!names.queries.take().equals(name)) {
            // of another server
        }
    }

    /** As services of Docker have them. */
    @Test
    void aNameMayHaveAnUnderscore() throws Exception {
        try (var names = new NameServer((q, t) -> NameServer.address(q, 60, "127.0.0.2"));
                var behind = new Behind();
                ProxyServer proxy =
                        new ProxyServer(
                                transport,
                                Upstream.of(
                                        s -> s.nameservers(names.address()),
                                        "http://my_stack_app:" + behind.port))) {
            assertTrue(proxy.ask(GET).endsWith("127.0.0.2"));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.admin.Registrations.Result;
import io.sirocco.app.admin.Registrations.Target;
import io.sirocco.web.access.Networks;
import io.sirocco.web.proxy.Upstream;
import io.sirocco.web.proxy.UpstreamStats.ServerStats;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When servers that have joined are removed, by a clock that the test sets. */
class RegistrationsTest {
    private static final Duration TTL = Registrations.LONGEST_TTL;

    private final AtomicLong millis = new AtomicLong(Long.MAX_VALUE / 1_000_000 - 3000);
    private final Registrations all = new Registrations(() -> millis.get() * 1_000_000);
    private final Upstream api = upstream();

    private static Upstream upstream() {
        return Upstream.of(settings -> settings.name("api").allowEmpty(true), "http://10.0.0.1");
    }

    private static Target target(Upstream upstream, int most) {
        return new Target(upstream, Networks.of(List.of()), most);
    }

    private Result put(String url) {
        return all.put("api", url, 1, TTL);
    }

    private static List<String> joined(Upstream upstream) {
        return upstream.stats().servers().stream().skip(1).map(ServerStats::name).toList();
    }

    @AfterEach
    void close() {
        all.close();
        api.close();
    }

    @Test
    void aServerIsGoneWithinFiveSecondsAfterItsLastHeartbeat() {
        all.use(List.of(target(api, 9)));
        assertEquals(Result.JOINED, put("http://10.0.0.2"));
        assertEquals(Result.JOINED, put("http://10.0.0.3"));
        millis.addAndGet(4000); // the clock overflows meanwhile
        assertEquals(500_000_000, all.expire());
        assertEquals(Result.KEPT, put("http://10.0.0.3"));
        millis.addAndGet(499);
        all.expire();
        assertEquals(List.of("http://10.0.0.2", "http://10.0.0.3"), joined(api));
        millis.addAndGet(1);
        all.expire();
        assertEquals(List.of("http://10.0.0.3"), joined(api));
        assertTrue(all.remove("api", "http://10.0.0.3"));
        assertFalse(all.remove("api", "http://10.0.0.3"));
        assertEquals(List.of(), joined(api));
        assertEquals(Result.JOINED, put("http://10.0.0.2")); // it is back
    }

    @Test
    void theirNumberIsLimitedAndThatOfTheConfigurationStays() {
        all.use(List.of(target(api, 2)));
        assertEquals(Result.FIXED, put("http://10.0.0.1"));
        assertEquals(Result.JOINED, put("http://10.0.1.1"));
        assertEquals(Result.JOINED, put("http://10.0.1.2"));
        for (int i = 3; i < 250; i++) {
            assertEquals(Result.FULL, put("http://10.0.1." + i));
        }
        assertEquals(Result.KEPT, put("http://10.0.1.1"));
        assertEquals(2, joined(api).size());
        assertFalse(all.remove("api", "http://10.0.0.1"));
        assertEquals(Result.UNKNOWN, all.put("other", "http://10.0.0.2", 1, TTL));
    }

    @Test
    void aReloadKeepsThemAndThoseThatLeaveMeanwhileAreNotThereAfterwards() {
        all.use(List.of(target(api, 9)));
        put("http://10.0.0.2");
        put("http://10.0.0.3");
        try (Upstream next = upstream()) {
            all.fill(next);
            all.remove("api", "http://10.0.0.2");
            put("http://10.0.0.4");
            all.use(List.of(target(next, 9)));
            assertEquals(List.of("http://10.0.0.3", "http://10.0.0.4"), joined(next));
            all.use(List.of());
            assertEquals(Result.UNKNOWN, put("http://10.0.0.3"));
        }
    }

    /** The services of the balancer's machine listen on its other addresses, too. */
    @Test
    void anAddressOfThisMachineIsOnlyForServersOnIt() throws Exception {
        Networks everywhere = Networks.of(List.of("0.0.0.0/0"));
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        InetAddress remote = InetAddress.ofLiteral("192.0.2.7");
        InetAddress other = InetAddress.ofLiteral("192.0.2.8");
        assertTrue(RegistrationApi.mayRegister(remote, remote, Networks.of(List.of())));
        assertTrue(RegistrationApi.mayRegister(remote, other, everywhere));
        assertFalse(RegistrationApi.mayRegister(remote, loopback, everywhere));
        List<InetAddress> ours =
                NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .filter(each -> each instanceof Inet4Address)
                        .filter(each -> !each.isLoopbackAddress() && !each.isLinkLocalAddress())
                        .toList();
        for (InetAddress own : ours) { // none on a machine without a network
            assertFalse(RegistrationApi.mayRegister(remote, own, everywhere));
            assertTrue(RegistrationApi.mayRegister(own, own, everywhere));
            assertTrue(RegistrationApi.mayRegister(loopback, own, everywhere));
        }
    }
}

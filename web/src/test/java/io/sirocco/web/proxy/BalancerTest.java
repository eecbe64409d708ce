// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Which server each way of balancing chooses. */
class BalancerTest {
    private final Candidates candidates = new Candidates();
    private final Set<UpstreamServer> tried = new HashSet<>();

    private static UpstreamServer server(String host, int weight, boolean backup) {
        var settings = new UpstreamSettings();
        if (backup) {
            settings.backup("http://" + host);
        } else {
            settings.server("http://" + host, weight);
        }
        UpstreamSettings.Server configured = settings.servers.getFirst();
        return new UpstreamServer(
                configured, host, configured.origin(), new ServerHealth(1, 1000, 1000, 1, 1, 0));
    }

    private static List<UpstreamServer> servers(int... weights) {
        var all = new ArrayList<UpstreamServer>();
        for (int weight : weights) {
            all.add(server(String.valueOf((char) ('a' + all.size())), weight, false));
        }
        return all;
    }

    private UpstreamServer choose(Balancer balancer, List<UpstreamServer> all, long key) {
        candidates.fill(all, tried, 0);
        return candidates.servers[balancer.choose(candidates, key)];
    }

    private String choose(Balancer balancer, List<UpstreamServer> all, int times) {
        var chosen = new StringBuilder();
        for (int i = 0; i < times; i++) {
            chosen.append(choose(balancer, all, 0L));
        }
        return chosen.toString();
    }

    private Map<String, Integer> counts(Balancer balancer, List<UpstreamServer> all, int times) {
        var counts = new TreeMap<String, Integer>();
        for (int i = 0; i < times; i++) {
            counts.merge(choose(balancer, all, Balancer.hash("key " + i)).name, 1, Integer::sum);
        }
        return counts;
    }

    @Test
    void roundRobinSpreadsWeightsEvenly() {
        assertEquals("aabacaa", choose(new Balancer.RoundRobin(), servers(5, 1, 1), 7));
        assertEquals("abcabcabc", choose(new Balancer.RoundRobin(), servers(1, 1, 1), 9));
    }

    @Test
    void leastRequestsGoesByTheWeight() {
        List<UpstreamServer> all = servers(1, 2);
        var chosen = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            UpstreamServer next = choose(new Balancer.LeastRequests(), all, 0L);
            next.inProgress.incrementAndGet();
            chosen.append(next);
        }
        assertEquals(2, all.get(0).inProgress.get(), chosen.toString());
        assertEquals(4, all.get(1).inProgress.get());
    }

    @Test
    void leastRequestsTakesTurnsWhereAllAreEqual() {
        assertEquals("abcabc", choose(new Balancer.LeastRequests(), servers(1, 1, 1), 6));
    }

    @Test
    void randomIsTheBetterOfTwo() {
        List<UpstreamServer> all = servers(1, 1, 1);
        all.get(0).inProgress.set(100);
        Map<String, Integer> counts = counts(new Balancer.TwoChoices(new Random(7)), all, 10_000);
        assertEquals(Set.of("b", "c"), counts.keySet());
        Map<String, Integer> weighted =
                counts(new Balancer.TwoChoices(new Random(7)), servers(1, 1, 8), 10_000);
        assertTrue(weighted.get("c") > weighted.get("a"), weighted.toString());
        assertEquals("aaa", choose(new Balancer.TwoChoices(new Random(7)), servers(1), 3));
    }

    @Test
    void aHashMovesOnlyTheValuesOfTheServerThatLeaves() {
        var balancer = new Balancer.RendezvousHash();
        List<UpstreamServer> all = servers(1, 1, 2);
        Map<String, Integer> counts = counts(balancer, all, 40_000);
        assertEquals(10_000, counts.get("a"), 500);
        assertEquals(10_000, counts.get("b"), 500);
        assertEquals(20_000, counts.get("c"), 500);
        for (int i = 0; i < 1000; i++) {
            long key = Balancer.hash("key " + i);
            tried.clear();
            UpstreamServer before = choose(balancer, all, key);
            tried.add(all.get(1));
            UpstreamServer after = choose(balancer, all, key);
            assertTrue(before == after || before == all.get(1));
        }
    }

    // ---- candidates

    @Test
    void backupsServeOnlyWithoutOthersAndEjectedOnesWithoutBackups() {
        UpstreamServer a = server("a", 1, false);
        UpstreamServer b = server("b", 1, false);
        UpstreamServer spare = server("c", 1, true);
        List<UpstreamServer> all = List.of(a, b, spare);
        var balancer = new Balancer.RoundRobin();
        assertEquals("abab", choose(balancer, all, 4));
        a.health.failed(0);
        assertEquals("bb", choose(balancer, all, 2));
        b.health.failed(0);
        assertEquals("cc", choose(balancer, all, 2));
        spare.health.failed(0);
        assertEquals(
                Set.of("a", "b"), counts(balancer, all, 4).keySet(), "a guess beats an outage");
        a.health.checked(false, 0);
        b.health.checked(false, 0);
        assertEquals("cc", choose(balancer, all, 2));
        spare.health.checked(false, 0);
        candidates.fill(all, tried, 0);
        assertEquals(0, candidates.count);
    }
}

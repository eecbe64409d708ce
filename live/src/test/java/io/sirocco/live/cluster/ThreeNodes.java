// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.client.LiveClient;
import io.sirocco.live.cluster.Journal.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three nodes, Redis, and a balancer: what fails under load, and what clients notice of it. No
 * message that was acknowledged is lost without a word, none comes twice, and all are in order.
 * Prints how long it takes until all is well again; the bounds are generous.
 */
@Timeout(600)
abstract class ThreeNodes {
    private static final int SIGTERM = 128 + 15;

    private final Service.Load load;

    ThreeNodes(Service.Load load) {
        this.load = load;
    }

    @Test
    void clientsOfANodeThatIsKilledAreBackOnTheOthersAndMissNothing() throws Exception {
        killANodeBehind(Balancer::haproxy, "HAProxy");
    }

    @Test
    void theSameBehindNginx() throws Exception {
        killANodeBehind(Balancer::nginx, "nginx");
    }

    private void killANodeBehind(Cluster.Before before, String name) throws Exception {
        try (var service = new Service(before, load)) {
            List<Fleet.Receiver> there = service.fleet.on("b");
            long killed = System.currentTimeMillis();
            service.cluster.node("b").kill();
            awaitBack(there, killed);
            List<Journal> all = service.end();
            print(name + ": a node is killed", service, all);
            allRecovered(service, there, all, killed);
        }
    }

    @Test
    void aNodeThatIsToldToStopLosesNothingAndComesBack() throws Exception {
        try (var service = new Service(Balancer::haproxy, load)) {
            List<Fleet.Receiver> there = service.fleet.on("b");
            NodeProcess node = service.cluster.node("b");
            long told = System.currentTimeMillis();
            assertEquals(SIGTERM, node.stop());
            System.out.printf("the node has stopped within %d ms%n", millisSince(told));
            awaitBack(there, told);
            node.begin();
            node.awaitReady();
            awaitClientOn("b", service.fleet);
            List<Journal> all = service.end();
            print("a node stops", service, all);
            allRecovered(service, there, all, told);
        }
    }

    @Test
    @Tag("heavy")
    void redisThatIsRestartedWithItsDataIsNoGap() throws Exception {
        try (var service = new Service(Balancer::haproxy, load)) {
            long stopped = System.currentTimeMillis();
            service.cluster.redis().stop();
            service.cluster.redis().begin();
            awaitMessages(service, System.currentTimeMillis());
            List<Journal> all = service.end();
            print("Redis is restarted with its data", service, all);
            assertEquals(0, all.stream().mapToLong(j -> j.count(Kind.GAP, stopped)).sum());
            assertEquals(List.of(), connects(all, stopped), "nobody's connection was lost");
            assertEquals(0, missing(service, all));
        }
    }

    @Test
    void redisThatComesBackEmptyIsAGapForAllAndTheServiceGoesOn() throws Exception {
        try (var service = new Service(Balancer::haproxy, load)) {
            long killed = System.currentTimeMillis();
            service.cluster.redis().kill();
            service.ledger.awaitFailure(); // it is away for longer than the deadline
            service.cluster.redis().wipe();
            service.cluster.redis().begin();
            awaitMessages(service, System.currentTimeMillis());
            List<Journal> all = service.end();
            print("Redis comes back empty", service, all);
            for (Journal journal : all) {
                assertTrue(journal.count(Kind.GAP, killed) > 0, "each is told of the gap");
            }
            assertEquals(List.of(), connects(all, killed), "nobody's connection was lost");
            missing(service, all);
        }
    }

    @Test
    @Tag("heavy")
    void whoLosesNodeAndRedisAtOnceIsNewAndToldOfTheGap() throws Exception {
        try (var service = new Service(Balancer::haproxy, load)) {
            List<Fleet.Receiver> there = service.fleet.on("b");
            long killed = System.currentTimeMillis();
            service.cluster.node("b").kill();
            service.cluster.redis().kill();
            service.ledger.awaitFailure();
            service.cluster.redis().wipe();
            service.cluster.redis().begin();
            awaitMessages(service, System.currentTimeMillis());
            awaitBack(there, killed);
            List<Journal> all = service.end();
            print("a node and Redis die", service, all);
            for (Fleet.Receiver receiver : there) {
                assertEquals(0, receiver.journal().count(Kind.RECOVERED, killed));
            }
            missing(service, all);
        }
    }

    // ----

    private static void awaitBack(List<Fleet.Receiver> there, long since) throws Exception {
        assertTrue(!there.isEmpty(), "nobody is on that node");
        var took = new ArrayList<Long>();
        for (Fleet.Receiver receiver : there) {
            took.add(
                    receiver.journal().await("that it is back", since, n -> n.isConnect()) - since);
        }
        print(there.size() + " clients were on it; back after", took);
    }

    /** Each gets messages again. */
    private static void awaitMessages(Service service, long since) throws Exception {
        var took = new ArrayList<Long>();
        for (Fleet.Receiver receiver : service.fleet.all()) {
            Journal journal = receiver.journal();
            took.add(journal.await("a message", since, note -> note.is(Kind.SAID)) - since);
        }
        print("messages again after", took);
    }

    private static void awaitClientOn(String node, Fleet fleet) throws Exception {
        long end = System.currentTimeMillis() + 60_000;
        while (true) {
            try (LiveClient client = fleet.client()) {
                client.connect().get();
                if (Fleet.where(client).equals(node)) {
                    return;
                }
            }
            assertTrue(System.currentTimeMillis() < end, "nobody comes to " + node);
        }
    }

    private void allRecovered(
            Service service, List<Fleet.Receiver> there, List<Journal> all, long since) {
        assertEquals(0, missing(service, all));
        for (Journal journal : all) {
            assertEquals(0, journal.count(Kind.CONNECTED, since), "as who they were");
            assertEquals(0, journal.count(Kind.GAP, since), "nothing was missing");
        }
        List<Journal> javas = all.subList(0, load.clients());
        assertEquals(there.size(), connects(javas, since).size(), "nobody else was disturbed");
    }

    /** Those who have connected again. */
    private static List<Journal> connects(List<Journal> all, long since) {
        return all.stream()
                .filter(
                        journal ->
                                journal.count(Kind.CONNECTED, since)
                                                + journal.count(Kind.RECOVERED, since)
                                        > 0)
                .toList();
    }

    /** Acknowledged messages that were lost, and of whom a gap was told. */
    private static long missing(Service service, List<Journal> all) {
        long missing = 0;
        List<String> wrong = new ArrayList<>();
        for (Journal journal : all) {
            Ledger.Verdict verdict = service.ledger.judge(journal);
            missing += verdict.missing;
            verdict.wrong.forEach(each -> wrong.add("room " + journal.room() + ": " + each));
        }
        assertEquals(
                List.of(), wrong.subList(0, Math.min(10, wrong.size())), wrong.size() + " in all");
        return missing;
    }

    private void print(String what, Service service, List<Journal> all) {
        long said = all.stream().mapToLong(journal -> journal.count(Kind.SAID, 0)).sum();
        long missing =
                all.stream().mapToLong(journal -> service.ledger.judge(journal).missing).sum();
        System.out.printf(
                "%s: %,d clients and %d browsers; %,d messages acknowledged, and %d of which nobody"
                        + " knows; %,d deliveries, %,d missing where a gap was told%n",
                what,
                load.clients(),
                load.browsers(),
                service.ledger.acknowledged(),
                service.ledger.failures(),
                said,
                missing);
    }

    private static void print(String what, List<Long> millis) {
        long[] sorted = millis.stream().mapToLong(Long::longValue).toArray();
        Arrays.sort(sorted);
        System.out.printf(
                "%s p50 %,d ms, p99 %,d ms, the last %,d ms%n",
                what,
                sorted[sorted.length / 2],
                sorted[sorted.length * 99 / 100],
                sorted[sorted.length - 1]);
    }

    private static long millisSince(long then) {
        return System.currentTimeMillis() - then;
    }
}

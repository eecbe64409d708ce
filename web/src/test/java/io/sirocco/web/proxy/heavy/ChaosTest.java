// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy.heavy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.client.ClientRequest;
import io.sirocco.http.client.HttpClient;
import io.sirocco.http.heavy.Child;
import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Three servers behind a proxy, under 500 requests a second: one is killed, one hangs, one is slow,
 * one truncates its responses, and each is restored. A client sees no error but that of a response
 * that had begun.
 */
@Tag("heavy")
@Timeout(300)
final class ChaosTest {
    private static final long PAUSE_NANOS = 2_000_000; // between two requests
    private static final int PHASE_SECONDS = 8;
    private static final int PAGE = 2000;
    private static final int MAX = 10_000; // requests in progress

    private final Child[] servers = new Child[3];
    private final int[] ports = new int[3];

    /** One request: its second since the beginning of its phase, and how long it took. */
    private record Sample(int second, long nanos) {}

    private final Map<String, ConcurrentLinkedQueue<Sample>> samples = new ConcurrentHashMap<>();
    private final Map<String, ConcurrentLinkedQueue<String>> errors = new ConcurrentHashMap<>();
    private final List<String> phases = new ArrayList<>();
    private final Semaphore inProgress = new Semaphore(MAX);

    private void start(int i) throws IOException {
        servers[i] =
                Child.start(
                        ChaosServer.class, List.of("-Xmx64m"), List.of(Integer.toString(ports[i])));
        ports[i] = servers[i].number();
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void onlyWhatWasInFlightIsLost(TransportKind transport) throws Exception {
        for (int i = 0; i < 3; i++) {
            start(i);
        }
        var arguments = new ArrayList<>(List.of(transport.name(), "1"));
        for (int port : ports) {
            arguments.add("http://127.0.0.1:" + port);
        }
        try (Child proxy = Child.start(HeavyProxy.class, List.of("-Xmx64m"), arguments);
                Loops loops = Loops.start(s -> s.loops(1).transport(transport));
                HttpClient client = HttpClient.on(loops, s -> {})) {
            var page = ClientRequest.get("http://127.0.0.1:" + proxy.number() + "/page");
            load(client, page, "warm-up");
            load(client, page, "all well");
            long heap = proxy.liveHeap();
            long resident = proxy.resident();

            servers[0].signal("KILL");
            load(client, page, "one is killed");
            servers[0].close();
            start(0);
            load(client, page, "it is back");

            servers[1].signal("STOP"); // the kernel accepts its connections
            load(client, page, "one hangs");
            servers[1].signal("CONT");
            load(client, page, "it goes on");

            servers[2].ask("slow");
            load(client, page, "one is slow");
            servers[2].ask("well");
            load(client, page, "it is quick");

            awaitAll();
            servers[0].ask("truncate");
            load(client, page, "one truncates");
            awaitAll();
            int truncated = Integer.parseInt(servers[0].ask("well"));
            load(client, page, "it is whole");

            awaitAll();
            System.out.println(transport + ", 500 requests/s, three servers");
            phases.forEach(this::print);
            System.out.printf(
                    "%s: heap %d KiB, then %d KiB; resident %d MiB, then %d MiB%n",
                    proxy.ask("stats"),
                    heap >> 10,
                    proxy.liveHeap() >> 10,
                    resident >> 20,
                    proxy.resident() >> 20);
            for (String phase : phases) {
                int lost = errors.get(phase).size();
                if (phase.equals("one truncates")) {
                    assertTrue(lost <= truncated, lost + " of " + truncated + " truncated ones");
                } else {
                    assertEquals(List.of(), List.copyOf(errors.get(phase)), phase);
                }
            }
            assertTrue(proxy.liveHeap() < heap + (2 << 20), "the heap has grown");
        } finally {
            for (Child server : servers) {
                server.close();
            }
        }
    }

    private void awaitAll() throws InterruptedException {
        inProgress.acquire(MAX);
        inProgress.release(MAX);
    }

    /** Sends at its pace, whatever becomes of the requests. */
    private void load(HttpClient client, ClientRequest page, String phase) {
        phases.add(phase);
        samples.put(phase, new ConcurrentLinkedQueue<>());
        errors.put(phase, new ConcurrentLinkedQueue<>());
        long began = System.nanoTime();
        long requests = PHASE_SECONDS * 1_000_000_000L / PAUSE_NANOS;
        for (long i = 0; i < requests; i++) {
            long due = began + i * PAUSE_NANOS;
            while (System.nanoTime() < due) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            int second = (int) ((due - began) / 1_000_000_000);
            inProgress.acquireUninterruptibly();
            client.sendAsync(page)
                    .thenCompose(
                            response ->
                                    response.body()
                                            .bytesAsync()
                                            .thenAccept(
                                                    body ->
                                                            check(
                                                                    phase,
                                                                    response.status(),
                                                                    body.length)))
                    .whenComplete(
                            (done, thrown) -> {
                                samples.get(phase).add(new Sample(second, System.nanoTime() - due));
                                if (thrown != null) {
                                    errors.get(phase).add(thrown.toString());
                                }
                                inProgress.release();
                            });
        }
    }

    private void check(String phase, int status, int length) {
        if (status != 200 || length != PAGE) {
            errors.get(phase).add(status + ", " + length + " bytes");
        }
    }

    private void print(String phase) {
        var seconds = new TreeMap<Integer, List<Long>>();
        var all = new ArrayList<Long>();
        for (Sample sample : samples.get(phase)) {
            seconds.computeIfAbsent(sample.second(), s -> new ArrayList<>()).add(sample.nanos());
            all.add(sample.nanos());
        }
        var each = new StringBuilder();
        seconds.values().forEach(nanos -> each.append(" %.1f".formatted(p99(nanos) / 1e6)));
        System.out.printf(
                "%-14s %5d requests, %3d errors, p99 %.1f ms; of each second:%s%n",
                phase, all.size(), errors.get(phase).size(), p99(all) / 1e6, each);
    }

    private static long p99(List<Long> nanos) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).toArray();
        Arrays.sort(sorted);
        return sorted[(int) (sorted.length * 0.99)];
    }
}

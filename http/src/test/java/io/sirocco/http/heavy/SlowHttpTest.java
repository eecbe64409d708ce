// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Debian's slowhttptest: a thousand clients that drip heads, drip bodies, or hardly read. */
@Tag("heavy")
@Timeout(180)
final class SlowHttpTest {
    @ParameterizedTest
    @CsvSource({
        // of those who hardly read, the memory of the loop has room for 230
        "IO_URING, -H -i 10 -x 24 -u http://127.0.0.1:PORT/hello",
        "IO_URING, -B -i 10 -s 8192 -x 10 -u http://127.0.0.1:PORT/count",
        "IO_URING, -X -w 512 -y 1024 -n 5 -z 32 -k 3 -u http://127.0.0.1:PORT/page",
        "NIO, -H -i 10 -x 24 -u http://127.0.0.1:PORT/hello",
        "NIO, -B -i 10 -s 8192 -x 10 -u http://127.0.0.1:PORT/count",
        "NIO, -X -w 512 -y 1024 -n 5 -z 32 -k 3 -u http://127.0.0.1:PORT/page",
    })
    void keepsNobodyElseWaiting(TransportKind transport, String attack) throws Exception {
        assumeTrue(installed(), "slowhttptest is not installed");
        try (Child server =
                Child.start(
                        HeavyServer.class, List.of("-Xmx64m"), List.of(transport.name(), "1"))) {
            int port = server.number();
            new Pinger(port).runAnew(3_000, 1); // warm
            long heap = server.liveHeap();
            long resident = server.resident();
            var command =
                    new ArrayList<>(
                            List.of(
                                    "slowhttptest",
                                    "-c",
                                    "1000",
                                    "-r",
                                    "200",
                                    "-l",
                                    "30",
                                    "-p",
                                    "3"));
            command.addAll(
                    Arrays.asList(attack.replace("PORT", Integer.toString(port)).split(" ")));
            Process attacker =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            var pinger = new Pinger(port);
            var latencies = new CompletableFuture<Pinger.Latencies>();
            Thread.ofPlatform()
                    .start(
                            () -> {
                                try {
                                    latencies.complete(pinger.runAnew(60_000, 20));
                                } catch (IOException e) {
                                    latencies.completeExceptionally(e);
                                }
                            });
            String peak = "0 0 0";
            do {
                String stats = server.ask("stats");
                if (connections(stats) > connections(peak)) {
                    peak = stats;
                }
            } while (!attacker.waitFor(200, TimeUnit.MILLISECONDS));
            pinger.stop();
            Pinger.Latencies measured = latencies.get();
            long end = System.nanoTime() + 20_000_000_000L;
            while (connections(server.ask("stats")) > 0) {
                assertTrue(System.nanoTime() < end, "the connections of the attack stay");
            }
            System.out.printf(
                    "%s, slowhttptest %s: %s; heap %+d B, resident %+d KiB; most"
                            + " connections/requests/write memory: %s%n",
                    transport,
                    attack.substring(0, 2),
                    measured,
                    server.liveHeap() - heap,
                    (server.resident() - resident) >> 10,
                    peak);
            int fewest = attack.startsWith("-X") ? 100 : 500;
            assertTrue(connections(peak) > fewest, "the attack has failed: " + peak);
            assertTrue(measured.most() < 100_000_000 + measured.hiccup(), measured.toString());
            assertTrue(server.liveHeap() - heap < 2 << 20);
        }
    }

    private static int connections(String stats) {
        return Integer.parseInt(stats.split(" ")[0]);
    }

    private static boolean installed() {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "slowhttptest")));
    }
}

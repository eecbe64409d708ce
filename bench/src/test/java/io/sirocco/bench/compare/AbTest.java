// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.Failure;
import io.sirocco.bench.Result;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AbTest {
    private static final String PRINTED =
            """
            Concurrency Level:      30
            Time taken for tests:   0.117 seconds
            Complete requests:      1000
            Failed requests:        0
            Total transferred:      160000 bytes
            HTML transferred:       19000 bytes
            Requests per second:    8563.77 [#/sec] (mean)
            Time per request:       3.503 [ms] (mean)
            """;

    /** One millisecond more with each percent. */
    private static final String CSV =
            IntStream.rangeClosed(0, 100)
                    .mapToObj(percent -> percent + "," + percent + ".250")
                    .collect(Collectors.joining("\n", "Percentage served,Time in ms\n", "\n"));

    @Test
    void readsWhatItPrints() throws Exception {
        Result result = Ab.parse(PRINTED, CSV);
        assertEquals(1_000, result.requests());
        assertEquals(8563.77, result.requestsPerSecond(), 0.01);
        assertEquals(160_000, result.bytesIn());
        assertEquals(Map.of(200, 1_000L), result.statuses());
        assertEquals(0, result.failed());
        assertEquals(50_250, result.micros(50), 100);
        assertEquals(99_250, result.micros(99), 100);
        assertEquals(100_250, result.micros(100), 100);
    }

    @Test
    void errorPagesAreNoSuccess() throws Exception {
        String pages = PRINTED.replace("Failed requests:        0", "Failed requests:        3");
        Result result = Ab.parse(pages + "Non-2xx responses:      1000\n", CSV);
        assertEquals(Map.of(Failure.CLOSED, 3L), result.failures());
        assertEquals(1_003, Meter.round(result, 1).failures());
    }

    @Test
    void somethingElseIsNoResult() {
        assertThrows(IOException.class, () -> Ab.parse("Benchmarking...", CSV));
    }

    @Tag("peers")
    @Test
    void putsItsLoadOnAServerAndKeepsWhatItPrinted(@TempDir Path folder) throws Exception {
        Needs.race();
        Needs.programs("ab");
        Path peer = PeerFolder.of(folder, "one").write();
        Path home = Files.createDirectories(folder.resolve("home"));
        Work work = Works.named(List.of("qurricane-ab-30")).getFirst();
        Path raw = folder.resolve("raw.txt");
        var program = new PeerProgram(peer, home, folder);
        try (var server = ServerProcess.start(program, 0, Ports.free(1).getFirst(), folder)) {
            var round = Meter.round(new Ab(raw), work, server, Duration.ZERO);
            assertEquals(0, round.failures());
            assertTrue(round.requestsPerSecond() > 0);
            assertTrue(Files.readString(raw).contains("Document Length:        19 bytes"));
        }
    }

    @Tag("peers")
    @Test
    void aServerThatIsNotThereIsAReason(@TempDir Path folder) throws Exception {
        Needs.programs("ab");
        Work work = Works.named(List.of("qurricane-ab-30")).getFirst();
        var nobody = new InetSocketAddress("127.0.0.1", Ports.free(1).getFirst());
        var ab = new Ab(folder.resolve("raw.txt"));
        var e = assertThrows(IOException.class, () -> ab.run(work, nobody, Duration.ZERO));
        assertTrue(e.getMessage().startsWith("ab failed"), e.getMessage());
        assertTrue(e.getMessage().contains("Connection refused"), e.getMessage());
    }
}

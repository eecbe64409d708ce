// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DateAndServerTest {

    @Test
    void holdsBothLines() {
        assertEquals(
                "Date: Thu, 01 Jan 1970 00:00:01 GMT\r\nServer: Sirocco\r\n",
                new String(new DateAndServer("Sirocco").at(1), ISO_8859_1));
        assertEquals(
                "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n",
                new String(new DateAndServer("").at(0), ISO_8859_1));
    }

    @Test
    void allLoopsHaveTheSameArrayForOneSecond() throws Exception {
        var lines = new DateAndServer("Sirocco");
        int loops = 4;
        int seconds = 2_000;
        var together = new CyclicBarrier(loops);
        try (var threads = Executors.newFixedThreadPool(loops)) {
            var all =
                    IntStream.range(0, loops)
                            .mapToObj(
                                    loop ->
                                            threads.submit(
                                                    () -> {
                                                        var seen = new byte[seconds][];
                                                        for (int i = 0; i < seconds; i++) {
                                                            together.await();
                                                            seen[i] = lines.at(i);
                                                        }
                                                        return seen;
                                                    }))
                            .toList();
            byte[][] first = all.getFirst().get();
            for (Future<byte[][]> each : all) {
                byte[][] seen = each.get();
                for (int i = 0; i < seconds; i++) {
                    assertSame(first[i], seen[i]);
                }
            }
        }
    }
}

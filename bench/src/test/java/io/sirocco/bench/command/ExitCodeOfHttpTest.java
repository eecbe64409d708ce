// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Connection;
import io.sirocco.net.Listener;
import io.sirocco.net.Loops;
import io.sirocco.net.Protocol;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A script that runs {@code bench http} must notice that a server answered nothing but errors. */
@Timeout(60)
class ExitCodeOfHttpTest {
    /** Answers each read with a status; closes instead where that is 0. */
    private record Answering(int status) implements Protocol {
        @Override
        public int received(Connection connection, byte[] bytes, int from, int to) {
            if (status == 0) {
                connection.abort();
                return to;
            }
            byte[] answer =
                    ("HTTP/1.1 " + status + " x\r\nContent-Length: 0\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII);
            connection.write(answer, 0, answer.length);
            return to;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "200, 0, ''",
        "204, 0, ''",
        "301, 1, 'failed: 10 of 10 responses have another status than 2xx'",
        "404, 1, 'failed: 10 of 10 responses have another status than 2xx'",
        "503, 1, 'failed: 10 of 10 responses have another status than 2xx'",
        "0, 1, 'failed: nothing was answered'",
    })
    void itIsOneUnlessAllWentWell(int status, int code, String verdict) throws Exception {
        try (Loops loops = Loops.start(s -> s.loops(1))) {
            Listener server =
                    loops.listen(new InetSocketAddress("127.0.0.1", 0), c -> new Answering(status));
            Run run =
                    Run.of(
                            "http",
                            "http://127.0.0.1:" + server.port() + "/",
                            "-n",
                            "10",
                            "-d",
                            status == 0 ? "200ms" : "30s",
                            "-c",
                            "2",
                            "-t",
                            "1",
                            "--warm-up",
                            "0s");
            assertEquals(code, run.exitCode(), run.out() + run.err());
            assertEquals(code == 1, run.out().contains("verdict"), run.out());
            assertTrue(run.out().contains(verdict), run.out());
        }
    }
}

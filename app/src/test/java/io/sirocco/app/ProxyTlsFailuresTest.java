// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The TLS failure of one server does not hide that of another one. */
@Timeout(60)
class ProxyTlsFailuresTest {
    @TempDir Path folder;

    @Test
    void eachServerIsLoggedOnceWithItsReason() throws Exception {
        Queue<String> lines = new ConcurrentLinkedQueue<>();
        var handler =
                new Handler() {
                    @Override
                    public void publish(LogRecord record) {
                        if (record.getMessage().contains("TLS_FAILED")) {
                            lines.add(record.getMessage());
                        }
                    }

                    @Override
                    public void flush() {}

                    @Override
                    public void close() {}
                };
        String toml =
                """
                [[listen]]
                address = "127.0.0.1:0"
                [[site]]
                [[site.route]]
                path = "/"
                respond = { text = "without TLS" }
                """;
        Path first = Files.createDirectory(folder.resolve("a"));
        Path second = Files.createDirectory(folder.resolve("b"));
        try (Running a = Running.of(first, TransportKind.NIO, toml);
                Running b = Running.of(second, TransportKind.NIO, toml);
                Running proxy =
                        Running.of(
                                folder,
                                TransportKind.NIO,
                                """
                                [[listen]]
                                address = "127.0.0.1:0"
                                [[upstream]]
                                name = "two"
                                servers = ["https://127.0.0.1:%d", "https://127.0.0.1:%d"]
                                [[site]]
                                [[site.route]]
                                path = "/*"
                                proxy = "two"
                                """
                                        .formatted(a.port(), b.port()))) {
            Logger.getLogger("io.sirocco").addHandler(handler);
            try {
                for (int i = 0; i < 2; i++) {
                    assertEquals(502, Client.get(proxy.port(), "/").status());
                }
            } finally {
                Logger.getLogger("io.sirocco").removeHandler(handler);
            }
            for (int port : new int[] {a.port(), b.port()}) {
                long said = lines.stream().filter(line -> line.contains(":" + port)).count();
                assertEquals(1, said, lines::toString);
            }
            assertTrue(
                    lines.stream().allMatch(it -> it.contains("does not speak TLS")),
                    lines::toString);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring.heavy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two gigabytes each way through a Ring handler, in a JVM with a heap of 64 MiB. */
@Tag("heavy")
class LargeBodiesTest {
    @Test
    void aSmallHeapStreamsTwoGigabytesEachWay() throws Exception {
        Process program =
                new ProcessBuilder(
                                List.of(
                                        Path.of(System.getProperty("java.home"), "bin/java")
                                                .toString(),
                                        "-Xmx64m",
                                        "-XX:+UseSerialGC",
                                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                        "--enable-native-access=ALL-UNNAMED",
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        "clojure.main",
                                        "-m",
                                        "sirocco.ring.large-bodies"))
                        .redirectErrorStream(true)
                        .start();
        String said = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals("sent 2147483648\nreceived 2147483648\n", said);
        assertEquals(0, program.waitFor());
    }
}

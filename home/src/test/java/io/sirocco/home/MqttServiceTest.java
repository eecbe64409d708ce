// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.home.object.MqttFeatures;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.net.Loops;
import io.sirocco.testkit.FreePort;
import java.io.FileOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MqttServiceTest {
    @TempDir Path directory;

    /** Before, the end of a controller waited for ever for a file that cannot be read. */
    @Test
    void closeEndsWhileAFileCannotBeRead() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")), "no mkfifo");
        Path project = directory.resolve("project.omp");
        assertEquals(0, new ProcessBuilder("mkfifo", project.toString()).start().waitFor());
        CipherKey key = CipherKey.random(new SecureRandom());
        try (Loops loops = Loops.start(settings -> settings.loops(1));
                var clients =
                        new RemoteClients(
                                loops,
                                CluRig.LOOPBACK,
                                FreePort.udp(),
                                Duration.ofSeconds(9),
                                () -> key)) {
            var settings = new CluSettings().directory(directory);
            var service = new MqttService(settings, 1, clients, (level, line) -> {});
            String url = "tcp://127.0.0.1:" + FreePort.tcp();
            service.apply(new MqttFeatures(url, true, true, "homeassistant"), "CLU1", Map.of());
            var closed = CompletableFuture.runAsync(service::close);
            try {
                closed.get(30, TimeUnit.SECONDS);
            } finally {
                new FileOutputStream(project.toFile()).close(); // the reading ends
            }
        }
    }
}

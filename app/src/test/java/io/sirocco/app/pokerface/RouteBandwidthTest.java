// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client;
import io.sirocco.app.Running;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** The bandwidth of a route, and of each of its connections, while downloads run. */
@OnEachTransport
class RouteBandwidthTest {
    private static final int SIZE = 4 << 20;

    @Parameter TransportKind transport;
    @TempDir Path folder;

    private static String toml(String bandwidth) {
        return """
        [[listen]]
        address = "127.0.0.1:0"
        [server]
        reload = false
        [[site]]
        root = "."
        [[site.route]]
        path = "/large"
        %s
        """
                .formatted(bandwidth);
    }

    /** At the old rate it would take more than an hour. */
    @Test
    @Timeout(60)
    void aReloadChangesDownloadsThatRun() throws Exception {
        Files.write(folder.resolve("large"), new byte[SIZE]);
        for (String kind : new String[] {"connection-bandwidth-out", "bandwidth-out"}) {
            try (Running running = Running.of(folder, transport, toml(kind + " = 1000"));
                    Client client = new Client(running.port())) {
                client.send("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
                assertEquals(100, client.in().readNBytes(100).length); // it has begun
                running.reload(toml(kind + (kind.startsWith("c") ? " = \"1GiB\"" : " = 0")));
                assertTrue(client.in().readAllBytes().length > SIZE - 100, kind);
            }
        }
    }

    @Test
    void theServersOptionsAreThoseOfFiles() throws Exception {
        try (Running running = Running.of(folder, transport, toml(""));
                Client client = new Client(running.port())) {
            client.send("OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            assertEquals("GET, HEAD, OPTIONS", client.last().field("Allow"));
        }
    }
}

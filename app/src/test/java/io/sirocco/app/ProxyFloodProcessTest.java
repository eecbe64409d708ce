// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A small heap survives many large requests to an upstream server that does not respond. */
@Tag("peers")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "its sockets take more than is sent here")
class ProxyFloodProcessTest {
    private static final int CLIENTS = 1000;

    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"io_uring", "epoll", "nio"})
    void aSlowUpstreamDoesNotFillASmallHeap(String transport) throws Exception {
        Files.writeString(Files.createDirectory(folder.resolve("site")).resolve("a.txt"), "hello");
        byte[] request =
                ("GET /api/ HTTP/1.1\r\nHost: a\r\nX-A: %s\r\nX-B: %<s\r\n\r\n"
                                .formatted("x".repeat(7400)))
                        .getBytes(ISO_8859_1);
        var clients = new ArrayList<Socket>();
        try (var silent = new ServerSocket(0, 2 * CLIENTS, InetAddress.getLoopbackAddress())) {
            Path file =
                    Files.writeString(
                            folder.resolve("sirocco.toml"),
                            """
                            [[listen]]
                            address = "127.0.0.1:0"
                            [server]
                            drain-timeout = "1s"
                            [[site]]
                            root = "site"
                            [[site.route]]
                            path = "/api/*"
                            proxy = "http://127.0.0.1:%d"
                            """
                                    .formatted(silent.getLocalPort()));
            var options =
                    List.of(
                            "--add-opens=java.base/java.lang=ALL-UNNAMED",
                            "--enable-native-access=ALL-UNNAMED",
                            "-Xmx48m",
                            "-XX:+ExitOnOutOfMemoryError");
            String[] command = {
                "serve", "--config", file.toString(), "--transport", transport, "--loops", "2"
            };
            try (var child = new Child(options, command)) {
                int port = child.port();
                assertEquals(200, Client.get(port, "/a.txt").status());
                for (int i = 0; i < CLIENTS; i++) {
                    clients.add(new Socket(InetAddress.getLoopbackAddress(), port));
                }
                for (Socket client : clients) {
                    client.getOutputStream().write(request);
                }
                int refused = 0;
                for (Socket client : clients.subList(CLIENTS / 2, CLIENTS)) {
                    client.setSoTimeout(1000);
                    refused += isRefused(client) ? 1 : 0;
                    if (refused > 0) {
                        break; // what is there is more than the limit
                    }
                }
                assertTrue(child.isAlive());
                for (Socket client : clients) {
                    client.close();
                }
                awaitService(child, port);
            }
        } finally {
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    private static boolean isRefused(Socket client) {
        try {
            return new String(client.getInputStream().readNBytes(12), ISO_8859_1).endsWith("503");
        } catch (IOException e) {
            return false;
        }
    }

    private static void awaitService(Child child, int port) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            assertTrue(child.isAlive());
            try {
                if (Client.get(port, "/a.txt").status() == 200) {
                    return;
                }
            } catch (IOException | AssertionError e) {
                // not yet
            }
            assertTrue(System.nanoTime() < end, "it does not serve");
            LockSupport.parkNanos(20_000_000);
        }
    }
}

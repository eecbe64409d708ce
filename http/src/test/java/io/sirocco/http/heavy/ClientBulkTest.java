// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.client.PeerServer;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ten gibibytes each way through a client with a heap of 64 MB, and its requests a second. */
@Tag("heavy")
@Timeout(900)
@ParameterizedClass
@EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
final class ClientBulkTest {
    private static final long SIZE = Long.getLong("io.sirocco.http.heavy.gib", 10) << 30;

    @Parameter TransportKind transport;
    @TempDir Path folder;

    private Child client() throws IOException {
        return Child.start(HeavyClient.class, List.of("-Xmx64m"), List.of(transport.name()));
    }

    private void bulk(String server, Child client, String way, String command) throws IOException {
        long began = System.nanoTime();
        assertEquals(Long.toString(SIZE), client.ask(command));
        System.out.printf(
                "%s client, %s, %s of %d GiB: %.1f s, %d MiB resident%n",
                transport,
                server,
                way,
                SIZE >> 30,
                (System.nanoTime() - began) / 1e9,
                client.resident() >> 20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sirocco", "node", "nginx"})
    void tenGibibytesPassASmallHeap(String server) throws IOException {
        switch (server) {
            case "sirocco" -> {
                try (Child ours =
                                Child.start(
                                        HeavyServer.class,
                                        List.of("-Xmx64m"),
                                        List.of(transport.name(), "1"));
                        Child client = client()) {
                    bothWays(server, client, "http://127.0.0.1:" + ours.number());
                }
            }
            case "node" -> {
                try (PeerServer node = PeerServer.node(folder);
                        Child client = client()) {
                    bothWays(server, client, node.url());
                }
            }
            default -> { // which has nothing that takes a body and keeps none of it
                try (PeerServer nginx = PeerServer.nginx(folder, SIZE);
                        Child client = client()) {
                    bulk(server, client, "download", "down " + nginx.url() + "/big");
                }
            }
        }
    }

    private void bothWays(String server, Child client, String url) throws IOException {
        bulk(server, client, "download", "down " + url + "/flood/" + (SIZE >> 20));
        bulk(server, client, "upload", "up " + url + "/count " + SIZE);
    }

    @org.junit.jupiter.api.Test
    void requestsASecond() throws IOException {
        try (Child client = client()) {
            System.out.println(
                    transport
                            + " client, one loop beside a server on one: "
                            + client.ask("rate 3")
                            + " requests/s");
        }
    }
}

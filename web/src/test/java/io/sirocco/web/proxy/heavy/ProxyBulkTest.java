// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy.heavy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.heavy.Child;
import io.sirocco.http.heavy.HeavyClient;
import io.sirocco.http.heavy.HeavyServer;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ten gibibytes each way through a proxy with a heap of 64 MB. */
@Tag("heavy")
@Timeout(900)
final class ProxyBulkTest {
    private static final long SIZE = Long.getLong("io.sirocco.http.heavy.gib", 10) << 30;

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void tenGibibytesPassASmallHeap(TransportKind transport) throws IOException {
        List<String> small = List.of("-Xmx64m");
        String kind = transport.name();
        try (Child server = Child.start(HeavyServer.class, small, List.of(kind, "1"));
                Child proxy =
                        Child.start(
                                HeavyProxy.class,
                                small,
                                List.of(kind, "1", "http://127.0.0.1:" + server.number()));
                Child client = Child.start(HeavyClient.class, small, List.of(kind))) {
            String url = "http://127.0.0.1:" + proxy.number();
            bulk(transport, proxy, client, "down " + url + "/flood/" + (SIZE >> 20));
            bulk(transport, proxy, client, "up " + url + "/count " + SIZE);
        }
    }

    private static void bulk(TransportKind transport, Child proxy, Child client, String command)
            throws IOException {
        long began = System.nanoTime();
        assertEquals(Long.toString(SIZE), client.ask(command));
        System.out.printf(
                "%s proxy, %s, %d GiB: %.1f s, %d MiB resident%n",
                transport,
                command.substring(0, command.indexOf(' ')),
                SIZE >> 30,
                (System.nanoTime() - began) / 1e9,
                proxy.resident() >> 20);
    }
}

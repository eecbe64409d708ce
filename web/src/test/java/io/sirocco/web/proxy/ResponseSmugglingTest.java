// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import io.sirocco.web.proxy.SmugglingTable.Row;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Responses of a server that is broken or hostile: each client gets the response to its own
 * request, or none. The cases are in {@code smuggling-responses.txt}.
 */
@OnEachTransport
@Timeout(60)
class ResponseSmugglingTest {
    private static final String NEXT = "GET /next HTTP/1.1\nHost: a\nConnection: close\n\n";
    private static final String FLOOD = "1".repeat(100); // in the table

    @Parameter TransportKind transport;

    static Stream<Row> rows() {
        return SmugglingTable.read("smuggling-responses.txt").stream();
    }

    /** Responds to {@code /a} with the bytes of the row, and to all other requests properly. */
    private static void play(FakeUpstream.Peer peer, String bytes, boolean slowly)
            throws IOException {
        for (String head; !(head = peer.request()).isEmpty(); ) {
            String target = head.split(" ")[1];
            if (target.equals("/a")) {
                byte[] all = bytes.replace("$", "").getBytes(ISO_8859_1);
                for (int at = 0, n; at < all.length; at += n) {
                    n = slowly && at < 1000 ? 1 : all.length - at;
                    peer.out.write(all, at, n);
                }
                if (bytes.endsWith("$")) {
                    return;
                }
            } else {
                peer.send("HTTP/1.1 200 OK\nContent-Length: " + target.length() + "\n\n" + target);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("rows")
    void inOneWrite(Row row) throws Exception {
        check(row, false);
    }

    static Stream<Row> rowsInPieces() {
        return rows().filter(row -> !row.name().startsWith("extra bytes"));
    }

    @ParameterizedTest
    @MethodSource("rowsInPieces")
    void byteByByte(Row row) throws Exception {
        check(row, true);
    }

    private void check(Row row, boolean slowly) throws Exception {
        String bytes = row.bytes().replace(FLOOD, "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1000));
        String method = row.name().contains("to HEAD") ? "HEAD" : "GET";
        String expected = row.columns().getFirst();
        try (var fake = new FakeUpstream(peer -> play(peer, bytes, slowly));
                var proxy = new ProxyServer(transport, Upstream.of(fake.url()))) {
            String received;
            try (RawClient client = proxy.client()) {
                received = client.send(method + " /a HTTP/1.1\nHost: a\n\n" + NEXT).end();
            }
            if (expected.equals("cut") && received.endsWith("<reset>")) {
                assertFalse(received.contains("/next"), received);
            } else {
                String first = expected.replace("cut", "502");
                List<String> all = responses(received, method);
                all.removeIf(response -> first.equals("502") && response.startsWith("1"));
                assertEquals(first + " 200 /next", String.join(" ", all), received);
            }
            assertFalse(received.contains("Evil"), received);
            assertFalse(received.contains("evil"), received);
            String victim = proxy.ask(NEXT.replace("next", "victim"));
            assertTrue(victim.endsWith("\n\n/victim"), victim);
            proxy.awaitQuiet();
        }
    }

    /** The statuses of all that was received, and the bodies of 200. */
    private static List<String> responses(String received, String method) {
        var all = new ArrayList<String>();
        boolean head = method.equals("HEAD");
        String rest = received.replaceFirst("<(end|reset)>$", "");
        while (!rest.isEmpty()) {
            int end = rest.indexOf("\n\n");
            assertTrue(end > 0 && rest.startsWith("HTTP/1.1 "), received);
            String status = rest.substring(9, 12);
            String fields = rest.substring(0, end + 1);
            rest = rest.substring(end + 2);
            String body = "";
            if (status.startsWith("1") || status.equals("204") || status.equals("304") || head) {
                head &= status.startsWith("1");
            } else if (fields.contains("\nTransfer-Encoding: chunked\n")) {
                for (int size = -1; size != 0; ) {
                    int line = rest.indexOf('\n');
                    size = Integer.parseInt(rest.substring(0, line), 16);
                    body += rest.substring(line + 1, line + 1 + size);
                    rest = rest.substring(line + 1 + size + (size > 0 ? 1 : 0));
                }
                rest = rest.substring(rest.startsWith("\n") ? 1 : rest.indexOf("\n\n") + 2);
            } else {
                int size =
                        Integer.parseInt(
                                fields.replaceFirst("(?s).*\nContent-Length: (\\d+)\n.*", "$1"));
                body = rest.substring(0, size);
                rest = rest.substring(size);
            }
            all.add(status.equals("200") && !body.isEmpty() ? status + " " + body : status);
        }
        return all;
    }

    /** A response that nobody has asked for is not the response to the next request. */
    @Test
    void anIdleConnectionThatHasBytesIsNotUsedAgain() throws Exception {
        var released = new CountDownLatch(1);
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    if (!peer.request().contains("/a ")) {
                                        peer.send("HTTP/1.1 200 OK\nContent-Length: 5\n\n/next");
                                        return;
                                    }
                                    peer.send("HTTP/1.1 200 OK\nContent-Length: 2\n\nok");
                                    released.await();
                                    peer.send("HTTP/1.1 200 OK\nContent-Length: 4\n\nevil");
                                    peer.awaitEnd();
                                });
                var proxy = new ProxyServer(transport, Upstream.of(fake.url()));
                RawClient client = proxy.client()) {
            client.send("GET /a HTTP/1.1\nHost: a\n\n");
            assertTrue(client.response().endsWith("\n\nok"));
            ProxyServer.await("an idle connection", () -> proxy.upstream.stats().idle() == 1);
            released.countDown();
            ProxyServer.await("its end", () -> proxy.upstream.stats().idle() == 0);
            String next = client.send(NEXT).response();
            assertTrue(next.endsWith("\n\n/next"), next);
        }
    }

    /** The rest of a body that the server did not wait for is not its next request. */
    @Test
    void anEarlyResponseBeforeThePipelinedRequest() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    String head = peer.request();
                                    String target = head.split(" ")[1];
                                    peer.send(
                                            "HTTP/1.1 200 OK\nContent-Length: "
                                                    + target.length()
                                                    + "\n\n"
                                                    + target);
                                    if (target.equals("/a")) {
                                        peer.awaitEnd(); // none but this request came on it
                                    }
                                });
                var proxy = new ProxyServer(transport, Upstream.of(fake.url()));
                RawClient client = proxy.client()) {
            client.send("POST /a HTTP/1.1\nHost: a\nContent-Length: 70\n\n");
            assertTrue(client.response().endsWith("\n\n/a"));
            String smuggled = "GET /smuggled HTTP/1.1\nHost: a\n\n"; // 35 bytes
            String rest;
            try {
                client.send(smuggled + smuggled + NEXT);
                rest = client.end();
            } catch (IOException e) {
                rest = e.toString(); // it was closed
            }
            assertFalse(rest.contains("smuggled"), rest);
            assertTrue(!rest.contains("200") || rest.contains("/next"), rest);
            assertFalse(fake.requests.toString().contains("smuggled"));
        }
    }
}

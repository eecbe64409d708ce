// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import io.sirocco.web.cache.ResponseCache;
import io.sirocco.web.proxy.SmugglingTable.Row;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests that two readers may understand differently, through the proxy to a server that reads
 * them strictly: it sees exactly the requests that were meant, and each client gets the responses
 * to its own. The cases are in {@code smuggling-requests.txt}.
 */
@OnEachTransport
@Timeout(60)
class RequestSmugglingTest {
    static final String NEXT = "GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

    private static final int MUTATIONS = Integer.getInteger("io.sirocco.web.mutations", 300);
    private static final Duration SOON = Duration.ofMillis(100);
    private static final String ODD = "\r\n\0\t :;,0139aGx\u000b\u007f\u0085\u00a0";
    private static final List<String> MUTATED =
            List.of(
                    "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 35\r\nX: y\r\n\r\n"
                            + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n",
                    "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + "23\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n\r\n0\r\n\r\n",
                    "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n"
                            + "3;a=\"b\"\r\nabc\r\n5\r\n0\r\n\r\n\r\n0\r\nT: 1\r\n\r\n",
                    "GET http://a/a?b=%0d%0a HTTP/1.1\r\nHost: a\r\nConnection: X\r\nX: y\r\n\r\n",
                    "PUT /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n\r\n",
                    "GET /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\n"
                            + "Upgrade: h2c\r\nHTTP2-Settings: AAMA\r\n\r\n");

    @Parameter TransportKind transport;

    private final Collection<String> seen = new ConcurrentLinkedQueue<>();
    private final Collection<String> cut = new ConcurrentLinkedQueue<>();

    static Stream<Row> rows() {
        return SmugglingTable.read("smuggling-requests.txt").stream();
    }

    /** Reads strictly, and responds to each request with its request line. */
    private void play(FakeUpstream.Peer peer) throws IOException {
        var requests =
                new StrictRequests(peer.in, () -> respond(peer, "HTTP/1.1 100 Continue\n\n"));
        try {
            for (StrictRequests.Seen next; (next = requests.next()) != null; ) {
                seen.add(next.toString());
                String body = next.line().startsWith("HEAD ") ? "" : next.line();
                respond(
                        peer,
                        "HTTP/1.1 200 OK\nContent-Length: " + next.line().length() + "\n\n" + body);
            }
        } catch (EOFException e) {
            cut.add(e.getMessage());
        } catch (StrictRequests.Malformed e) {
            seen.add("malformed: " + e.getMessage());
        }
    }

    private static void respond(FakeUpstream.Peer peer, String text) {
        try {
            peer.send(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("rows")
    void inOneWrite(Row row) throws Exception {
        check(row, false, options -> {});
    }

    /** A cache does not read the requests otherwise; nothing of these responses may be stored. */
    @ParameterizedTest
    @MethodSource("rows")
    void behindACache(Row row) throws Exception {
        try (ResponseCache cache = ResponseCache.create()) {
            check(row, false, options -> options.cache(cache));
        }
    }

    @ParameterizedTest
    @MethodSource("rows")
    void byteByByte(Row row) throws Exception {
        check(row, true, options -> {});
    }

    /**
     * Requests with one to four changes at random, two in one write: the client gets the responses
     * to what the server has seen, and that is well-formed.
     */
    @Test
    void mutations() throws Exception {
        var random = new Random(14);
        try (var fake = new FakeUpstream(this::play);
                var proxy =
                        new ProxyServer(
                                transport,
                                Upstream.of(fake.url()),
                                c ->
                                        c.headerTimeout(SOON)
                                                .bodyTimeout(SOON, 1 << 20), // bytes may miss
                                o -> {})) {
            for (int i = 0; i < MUTATIONS; i++) {
                String bytes =
                        mutated(random, MUTATED.get(random.nextInt(MUTATED.size())))
                                + mutated(random, MUTATED.get(random.nextInt(MUTATED.size())));
                String received;
                try (RawClient client = proxy.client()) {
                    received = exchange(client, bytes + NEXT, false);
                }
                List<String> answered = statuses(received, "");
                answered.removeIf(status -> !status.startsWith("200 "));
                List<String> lines =
                        seen.stream()
                                .map(line -> "200 " + line.split(" ")[0] + " " + line.split(" ")[1])
                                .toList();
                assertEquals(lines, answered, SmugglingTable.printed(bytes));
                seen.clear();
            }
        }
    }

    private static String mutated(Random random, String bytes) {
        var text = new StringBuilder(bytes);
        for (int i = random.nextInt(4); i >= 0; i--) {
            int at = random.nextInt(text.length());
            char odd = ODD.charAt(random.nextInt(ODD.length()));
            switch (random.nextInt(4)) {
                case 0 -> text.insert(at, odd);
                case 1 -> text.setCharAt(at, odd);
                case 2 -> text.deleteCharAt(at);
                default -> { // a line again, elsewhere
                    int from = text.lastIndexOf("\n", at) + 1;
                    int end = text.indexOf("\n", at) + 1;
                    if (end > from) {
                        text.insert(text.indexOf("\n") + 1, text.substring(from, end));
                    }
                }
            }
        }
        return text.toString();
    }

    private void check(Row row, boolean slowly, Consumer<ProxyOptions> options) throws Exception {
        var expected = new ArrayList<String>();
        String client = row.columns().get(0);
        String upstream = SmugglingTable.bytes(row.columns().get(1));
        boolean refused = !client.equals("200");
        if (!refused) {
            expected.addAll(List.of(upstream.split(" ; ")));
        }
        if (!refused || client.endsWith("+")) {
            expected.add("GET /next");
        }
        String received;
        String victim;
        try (var fake = new FakeUpstream(this::play)) {
            try (var proxy =
                    new ProxyServer(transport, Upstream.of(fake.url()), c -> {}, options)) {
                try (RawClient one = proxy.client()) {
                    received = exchange(one, row.bytes() + NEXT, slowly);
                }
                try (RawClient other = proxy.client()) {
                    victim = exchange(other, NEXT.replace("next", "victim"), false);
                }
                proxy.awaitQuiet();
            }
            for (int i = 0, n = fake.accepted.get(); i < n; i++) {
                fake.ends.take(); // what arrives last counts, too
            }
        }
        assertEquals(responses(client, expected), statuses(received, row.bytes()), received);
        assertEquals(List.of("200 GET /victim"), statuses(victim, "GET"), victim);
        expected.add("GET /victim");
        assertEquals(expected, List.copyOf(seen));
        if (upstream.equals("cut")) {
            cut.removeIf(beginning -> beginning.startsWith("POST /a HTTP/1.1\r\n"));
        }
        assertEquals(List.of(), List.copyOf(cut));
    }

    static String exchange(RawClient client, String bytes, boolean slowly) throws IOException {
        OutputStream out = client.socket.getOutputStream();
        byte[] all = bytes.getBytes(ISO_8859_1);
        try {
            for (int at = 0, n; at < all.length; at += n) {
                n = slowly && at < 1000 ? 1 : all.length - at;
                out.write(all, at, n);
            }
        } catch (IOException e) {
            // it has refused the rest
        }
        return client.end();
    }

    /** What the client has to receive, as {@link #statuses} writes it. */
    private static List<String> responses(String client, List<String> upstream) {
        var all = new ArrayList<String>();
        if (!client.equals("200")) {
            all.add(client.equals("cut") ? "400" : client.substring(0, 3));
        }
        for (String each : upstream) {
            String[] words = each.split(" ");
            all.add("200" + (words[0].equals("HEAD") ? "" : " " + words[0] + " " + words[1]));
        }
        return all;
    }

    /** The final statuses of all that was received, and the bodies of 200. */
    private static List<String> statuses(String received, String request) {
        var all = new ArrayList<String>();
        String rest = received.replaceFirst("<(end|reset)>$", "");
        boolean head = request.startsWith("HEAD ");
        while (!rest.isEmpty()) {
            int end = rest.indexOf("\n\n");
            assertTrue(end > 0 && rest.startsWith("HTTP/1.1 "), received);
            String status = rest.substring(9, 12);
            var length =
                    Pattern.compile("(?m)^Content-Length: (\\d+)$").matcher(rest.substring(0, end));
            boolean bodiless =
                    status.startsWith("1") || status.equals("204") || head && all.isEmpty();
            int size = !bodiless && length.find() ? Integer.parseInt(length.group(1)) : 0;
            String body = rest.substring(end + 2, end + 2 + size);
            rest = rest.substring(end + 2 + size);
            if (!status.startsWith("1")) {
                all.add(status.equals("200") && !body.isEmpty() ? status + " " + body : status);
            }
        }
        return all;
    }
}

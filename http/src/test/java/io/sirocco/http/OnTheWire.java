// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/**
 * A test that shows bytes: what goes in, and what comes out. Each case runs on io_uring and epoll,
 * and in all modes of handling; its bytes are delivered in one piece, byte by byte, and, where
 * handlers run on virtual threads, in two pieces cut at every place. All must be answered with the
 * same bytes.
 *
 * <p>Behind the bytes of a case one more request is sent. A server that answers it has understood
 * where the case ended and keeps the connection; one that does not has closed it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OnTheWire {
    static final List<TransportKind> TRANSPORTS =
            List.of(TransportKind.IO_URING, TransportKind.EPOLL);

    private static final String LAST = "GET /~last HTTP/1.1\nHost: last\nConnection: close\n\n";
    private static final String LAST_ANSWER =
            """
            HTTP/1.1 200 OK
            Content-Type: text/plain; charset=utf-8
            Content-Length: 4
            Date: *
            Server: Sirocco
            Connection: close

            last""";

    private final Map<String, Serving> servers = new LinkedHashMap<>();

    abstract void routes(Routes routes);

    void config(Config config) {}

    /** The modes in which a case runs. */
    List<Mode> modes() {
        return secure() ? List.of(Mode.VIRTUAL) : List.of(Mode.values());
    }

    /** Whether the bytes of a case travel over TLS: a class that extends a test says so. */
    boolean secure() {
        return false;
    }

    @AfterAll
    void stop() {
        servers.values().forEach(Serving::close);
    }

    private Serving serving(TransportKind transport, Mode mode) {
        return servers.computeIfAbsent(
                transport + " " + mode,
                key -> new Serving(transport, mode, secure(), this::config, this::allRoutes));
    }

    private void allRoutes(Routes routes) {
        routes.get("/~last", request -> Response.text("last"));
        routes(routes);
    }

    /** Sends the bytes of a text block in all ways, as told above. */
    Answer wire(String block) {
        return wire(Client.bytes(block));
    }

    Answer wire(byte[] question) {
        Answer first = null;
        for (TransportKind transport : TRANSPORTS) {
            for (Mode mode : modes()) {
                Serving serving = serving(transport, mode);
                byte[] all = plus(question, Client.bytes(LAST));
                first = same(first, ask(serving, all, all.length, all.length));
                first = same(first, ask(serving, all, 1, 1));
                if (mode == Mode.VIRTUAL && !secure()) {
                    for (int cut = 1; cut < question.length; cut++) {
                        first = same(first, ask(serving, all, cut, all.length));
                    }
                }
            }
        }
        return first;
    }

    /** Sends in one piece only, in all modes: for what depends on how bytes arrive. */
    Answer wireWhole(String block) {
        byte[] all = Client.bytes(block + LAST);
        Answer first = null;
        for (TransportKind transport : TRANSPORTS) {
            for (Mode mode : modes()) {
                first = same(first, ask(serving(transport, mode), all, all.length, all.length));
            }
        }
        return first;
    }

    private static byte[] plus(byte[] a, byte[] b) {
        byte[] all = java.util.Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, all, a.length, b.length);
        return all;
    }

    private static Answer same(Answer first, Answer next) {
        if (first != null) {
            assertEquals(
                    first.text + first.kept + first.rules,
                    next.text + next.kept + next.rules,
                    () -> next.how + " differs from " + first.how);
        }
        return first == null ? next : first;
    }

    /** Sends the first {@code cut} bytes, and each further {@code step} when the last have come. */
    private static Answer ask(Serving serving, byte[] all, int cut, int step) {
        String how = serving.name + ", cut at " + cut + " and after each " + step;
        serving.awaitQuiet(); // or what it still receives would count for this client
        serving.rules();
        try (Client client = serving.client()) {
            for (int from = 0, to = cut; from < all.length && !client.hasEnded(); ) {
                client.send(all, from, to);
                if (to < all.length) {
                    client.delivered();
                }
                from = to;
                to = Math.min(all.length, to + step);
            }
            String text = masked(client.untilEnd());
            String last = LAST_ANSWER.replace("\n", "\r\n");
            boolean goesOn = text.endsWith(last);
            return new Answer(
                    how,
                    goesOn ? text.substring(0, text.length() - last.length()) : text,
                    goesOn,
                    serving.rules());
        } catch (AssertionError e) {
            throw new AssertionError(how + ": " + e.getMessage(), e);
        }
    }

    static String masked(String answer) {
        return answer.replaceAll("Date: [^\r]* GMT\r\n", "Date: *\r\n");
    }

    /** What came back, and what the tests say of it. */
    record Answer(String how, String text, boolean kept, List<RequestError> rules) {

        /** These very bytes, with {@code Date: *}. */
        Answer answers(String block) {
            assertEquals(block.replace("\n", "\r\n").replace('␊', '\n'), text, how);
            return this;
        }

        /** One response, with this status and body. */
        Answer answers(int status, String body) {
            Reply only = only();
            assertEquals(status, only.status(), () -> how + ": " + text);
            assertEquals(body, only.body(), () -> how + ": " + text);
            return this;
        }

        /** Responses with these statuses. */
        Answer answers(int... statuses) {
            assertEquals(
                    java.util.Arrays.stream(statuses).boxed().toList(),
                    replies().stream().map(Reply::status).toList(),
                    () -> how + ": " + text);
            return this;
        }

        /** Responses with these bodies. */
        Answer bodies(String... bodies) {
            assertEquals(
                    List.of(bodies),
                    replies().stream().map(Reply::body).toList(),
                    () -> how + ": " + text);
            return this;
        }

        /** The only response has this field with these values. */
        Answer header(String name, String... values) {
            assertEquals(List.of(values), only().headers().all(name), () -> how + ": " + text);
            return this;
        }

        /** The connection is closed behind it. */
        Answer closes() {
            assertEquals(false, kept, () -> how + " goes on: " + text);
            return this;
        }

        /** The connection takes another request. */
        Answer goesOn() {
            assertEquals(true, kept, () -> how + " closes: " + text);
            return this;
        }

        /** These rules were broken, in this order. */
        Answer logs(RequestError... broken) {
            assertEquals(List.of(broken), rules, () -> how + ": " + text);
            return this;
        }

        Reply only() {
            List<Reply> all = replies();
            assertEquals(1, all.size(), () -> how + ": " + text);
            return all.getFirst();
        }

        List<Reply> replies() {
            return Reply.all(text);
        }
    }

    /** One response; none of those that have no body whatever their head says. */
    record Reply(int status, Headers headers, String body) {

        static List<Reply> all(String text) {
            var all = new ArrayList<Reply>();
            for (int at = 0; at < text.length(); ) {
                int blank = text.indexOf("\r\n\r\n", at);
                if (blank < 0 || !text.startsWith("HTTP/1.1 ", at)) {
                    throw new AssertionError("no response at " + at + " of: " + text);
                }
                String[] lines = text.substring(at, blank).split("\r\n");
                int status = Integer.parseInt(lines[0], 9, 12, 10);
                Headers headers = Headers.none();
                for (int i = 1; i < lines.length; i++) {
                    int colon = lines[i].indexOf(": ");
                    headers =
                            headers.with(
                                    lines[i].substring(0, colon), lines[i].substring(colon + 2));
                }
                at = blank + 4;
                var body = new StringBuilder();
                if (headers.first("Transfer-Encoding").isPresent()) {
                    at = chunks(text, at, body);
                } else if (headers.first("Content-Length").isPresent()) {
                    int end = at + Integer.parseInt(headers.first("Content-Length").get());
                    body.append(text, at, end);
                    at = end;
                } else if (status >= 200 && status != 204 && status != 304) {
                    body.append(text, at, text.length());
                    at = text.length();
                }
                all.add(new Reply(status, headers, body.toString()));
            }
            return all;
        }

        /** Reads chunks without extensions and trailers; answers where they end. */
        private static int chunks(String text, int at, StringBuilder body) {
            while (true) {
                int line = text.indexOf("\r\n", at);
                int size = Integer.parseInt(text, at, line, 16);
                body.append(text, line + 2, line + 2 + size);
                at = line + 2 + size + 2;
                assertEquals("\r\n", text.substring(at - 2, at), "behind a chunk of: " + text);
                if (size == 0) {
                    return at;
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.net.Connection;
import io.sirocco.net.Listener;
import io.sirocco.net.Loops;
import io.sirocco.net.Protocol;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server that does to each request what a script says, on a loop of its own. Any thread. */
final class Scripted implements AutoCloseable {
    /** Chooses by the number of the connection and that of the request on it, both from 0. */
    interface Script {
        Reaction to(int connection, int request);
    }

    /** What a request is given. */
    enum Reaction {
        /** As many bytes as {@code length=} asks for, or two. */
        ANSWER,
        ONE_BYTE_MORE,
        CHUNKS,
        NOT_FOUND,
        LAST_ANSWER,
        GARBAGE,
        TWO_ANSWERS,
        RESET,
        CLOSE,
        SILENCE
    }

    private static final Pattern LENGTH = Pattern.compile("length=(\\d+)");

    final AtomicInteger connections = new AtomicInteger();
    final AtomicInteger requests = new AtomicInteger();
    final Set<InetAddress> sources = ConcurrentHashMap.newKeySet();
    final List<String> targets = new CopyOnWriteArrayList<>();
    private final Script script;
    private final Loops loops;
    private final Listener listener;

    Scripted(Script script) throws IOException {
        this.script = script;
        this.loops = Loops.start(s -> s.loops(1).longTurnMillis(0));
        this.listener =
                loops.listen(
                        new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), this::accept);
    }

    /** One that does nothing but answer. */
    static Scripted answering() throws IOException {
        return new Scripted((connection, request) -> Reaction.ANSWER);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.address();
    }

    private Protocol accept(Connection connection) {
        sources.add(((InetSocketAddress) connection.remote()).getAddress());
        return new Peer(connections.getAndIncrement());
    }

    private final class Peer implements Protocol {
        private final int number;
        private int count;

        Peer(int number) {
            this.number = number;
        }

        @Override
        public int received(Connection c, byte[] bytes, int from, int to) {
            String head = new String(bytes, from, to - from, ISO_8859_1);
            if (!head.endsWith("\r\n\r\n")) {
                return from;
            }
            requests.incrementAndGet();
            targets.add(head.split(" ")[1]);
            Matcher length = LENGTH.matcher(head);
            react(
                    c,
                    script.to(number, count++),
                    length.find() ? Integer.parseInt(length.group(1)) : 2);
            return to;
        }

        private void react(Connection c, Reaction reaction, int length) {
            switch (reaction) {
                case ANSWER -> answer(c, "200 OK", "", length);
                case ONE_BYTE_MORE -> answer(c, "200 OK", "", length + 1);
                case CHUNKS ->
                        write(
                                c,
                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                        + (length == 0
                                                ? ""
                                                : Integer.toHexString(length)
                                                        + "\r\n"
                                                        + "x".repeat(length)
                                                        + "\r\n")
                                        + "0\r\n\r\n");
                case NOT_FOUND -> answer(c, "404 Not Found", "", length);
                case LAST_ANSWER -> {
                    answer(c, "200 OK", "Connection: close\r\n", length);
                    c.finish();
                }
                case GARBAGE -> write(c, "what do you mean by that?");
                case TWO_ANSWERS -> {
                    answer(c, "200 OK", "", length);
                    answer(c, "200 OK", "", length);
                }
                case RESET -> c.reset();
                case CLOSE -> c.finish();
                case SILENCE -> {}
            }
        }
    }

    private static void answer(Connection c, String status, String fields, int length) {
        write(
                c,
                "HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n".formatted(status, fields, length)
                        + "x".repeat(length));
    }

    private static void write(Connection c, String text) {
        byte[] bytes = text.getBytes(ISO_8859_1);
        c.write(bytes, 0, bytes.length);
    }

    @Override
    public void close() {
        loops.close();
    }
}

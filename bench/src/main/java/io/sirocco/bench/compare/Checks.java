// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.live.LiveCheck;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Whether a server does a work, and not something cheaper: asks all that the work asks over a
 * socket of its own, in the way that the work does, and compares every byte of the bodies.
 */
final class Checks {
    private static final int PATIENCE_MILLIS = 10_000;

    private final Work work;
    private final InetSocketAddress server;

    private Checks(Work work, InetSocketAddress server) {
        this.work = work;
        this.server = server;
    }

    /** What is wrong; empty when all is right. Takes 10 seconds at most for an answer. */
    static Optional<String> of(Work work, InetSocketAddress server) {
        if (work.shape().live().isPresent()) {
            return LiveCheck.of(work.plan(server, Duration.ofSeconds(1), () -> 0))
                    .map(why -> "wrong answer: " + why);
        }
        var checks = new Checks(work, server);
        for (Exchange exchange : work.exchanges()) {
            try {
                checks.check(exchange);
            } catch (SocketTimeoutException late) {
                return wrong(exchange, "none in time");
            } catch (IOException e) {
                return wrong(exchange, e.getMessage());
            }
        }
        return Optional.empty();
    }

    private static Optional<String> wrong(Exchange exchange, String why) {
        return Optional.of("wrong answer: GET " + exchange.path() + ": " + why);
    }

    /** Twice on one connection, or once and then the end of it. */
    private void check(Exchange exchange) throws IOException {
        try (var socket = new Socket()) {
            socket.connect(server, PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            var in = new BufferedInputStream(socket.getInputStream());
            var out = socket.getOutputStream();
            byte[] request = request(exchange);
            if (work.shape().close()) {
                out.write(request);
                expect(exchange, in);
                expectEnd(in);
            } else if (work.shape().pipeline() > 1) {
                out.write(twice(request));
                expect(exchange, in);
                expect(exchange, in);
            } else {
                out.write(request);
                expect(exchange, in);
                out.write(request);
                expect(exchange, in);
            }
        }
    }

    private byte[] request(Exchange exchange) {
        boolean ab = work.shape().tool() == Work.Tool.AB;
        String head =
                "GET %s HTTP/1.%d\r\nHost: %s\r\n%s%s\r\n"
                        .formatted(
                                exchange.path(),
                                ab ? 0 : 1,
                                Work.host(server),
                                lines(exchange),
                                work.shape().close() && !ab ? "Connection: close\r\n" : "");
        return head.getBytes(StandardCharsets.US_ASCII);
    }

    private static String lines(Exchange exchange) {
        return exchange.fields().entrySet().stream()
                .map(field -> field.getKey() + ": " + field.getValue() + "\r\n")
                .collect(Collectors.joining());
    }

    private static byte[] twice(byte[] request) {
        byte[] both = Arrays.copyOf(request, 2 * request.length);
        System.arraycopy(request, 0, both, request.length, request.length);
        return both;
    }

    private static void expect(Exchange exchange, InputStream in) throws IOException {
        Reply reply = Reply.read(in);
        require(reply.status() == 200, "status " + reply.status());
        String type = reply.field("content-type").orElse("");
        require(
                exchange.types().stream().anyMatch(type::startsWith),
                "Content-Type is '" + type + "'");
        require(reply.field("date").isPresent(), "no Date");
        int differs = Arrays.mismatch(exchange.body(), reply.body());
        require(
                differs < 0,
                "a body of %d bytes instead of %d, other from byte %d on"
                        .formatted(reply.body().length, exchange.body().length, differs));
    }

    private static void expectEnd(InputStream in) throws IOException {
        require(in.read() < 0, "more than one answer where the connection should close");
    }

    private static void require(boolean holds, String otherwise) throws IOException {
        if (!holds) {
            throw new ProtocolException(otherwise);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import io.sirocco.http.RequestError;
import io.sirocco.http.h1.Reading.Ending;
import io.sirocco.http.h1.Reading.Message;
import io.sirocco.http.message.Fields;
import io.sirocco.http.message.Octets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads requests with the production parsers as a connection would: the bytes arrive in pieces, and
 * after each piece all is read that can be. Each piece is a fresh array with poison around it, so a
 * read outside of it shows.
 */
final class Connection {
    private static final int PAD = 5;

    private final Head head = new Head();
    private final List<Message> messages = new ArrayList<>();
    private Head request;
    private Chunked chunked;
    private final StringBuilder body = new StringBuilder();
    private RequestError rule;
    private int at;

    /** Reads {@code stream}, which arrives up to each of the ascending {@code ends} in turn. */
    static Reading read(byte[] stream, int... ends) {
        return of(stream, ends).reading();
    }

    static Connection of(byte[] stream, int... ends) {
        Connection connection = new Connection();
        for (int end : ends) {
            connection.arrive(stream, end);
        }
        connection.arrive(stream, stream.length);
        return connection;
    }

    Reading reading() {
        return new Reading(messages, rule == null ? Ending.OPEN : Ending.REJECTED);
    }

    /** The rule that ended it, or null. */
    RequestError rule() {
        return rule;
    }

    private void arrive(byte[] stream, int end) {
        while (rule == null && (request == null ? head(stream, end) : body(stream, end))) {
            continue;
        }
    }

    private byte[] piece(byte[] stream, int end) {
        byte[] piece = new byte[PAD + end - at + PAD];
        Arrays.fill(piece, (byte) '\n');
        System.arraycopy(stream, at, piece, PAD, end - at);
        return piece;
    }

    /** A head of its own: its bytes, read again. */
    private Head copy() {
        byte[] bytes = Arrays.copyOfRange(head.bytes(), PAD, head.end());
        Head copy = new Head();
        check(copy.parse(bytes, 0, bytes.length, Reading.LIMITS) == Parsed.COMPLETE);
        return copy;
    }

    private boolean head(byte[] stream, int end) {
        byte[] piece = piece(stream, end);
        switch (head.parse(piece, PAD, PAD + end - at, Reading.LIMITS)) {
            case INCOMPLETE -> {
                return false;
            }
            case REJECTED -> {
                check(head.brokenAt() >= PAD && head.brokenAt() <= PAD + end - at);
                rule = head.rule();
                return false;
            }
            case COMPLETE -> {
                request = copy();
                at += head.end() - PAD;
                Arrays.fill(piece, (byte) 0);
            }
        }
        if (request.contentLength() > Reading.BODY) {
            rule = RequestError.BODY_TOO_LARGE;
            return false;
        }
        chunked = request.chunked() ? new Chunked(Reading.BODY) : null;
        body.setLength(0);
        return true;
    }

    private boolean body(byte[] stream, int end) {
        if (chunked == null) {
            int length = (int) Math.max(0, request.contentLength());
            if (end - at < length) {
                return false;
            }
            body.append(Octets.text(stream, at, at + length));
            at += length;
            return message(List.of());
        }
        byte[] piece = piece(stream, end);
        int to = PAD + end - at;
        Chunked.Event event = chunked.decode(piece, PAD, to);
        check(chunked.next() >= PAD && chunked.next() <= to);
        at += chunked.next() - PAD;
        return switch (event) {
            case DATA -> {
                check(PAD <= chunked.dataFrom() && chunked.dataFrom() < chunked.dataTo());
                body.append(Octets.text(piece, chunked.dataFrom(), chunked.dataTo()));
                yield true;
            }
            case MORE -> {
                check(chunked.next() == to);
                yield false;
            }
            case REJECTED -> {
                rule = chunked.rule();
                yield false;
            }
            case END -> message(lines(chunked.trailers()));
        };
    }

    private boolean message(List<String> trailers) {
        Head h = request;
        messages.add(
                new Message(
                        h.method(),
                        h.target(),
                        h.path(),
                        h.hasQuery() ? "?" + h.query() : "",
                        h.host(),
                        h.port(),
                        h.minor(),
                        h.keepAlive(),
                        h.expectContinue(),
                        h.upgrade(),
                        lines(h),
                        body.toString(),
                        trailers,
                        at));
        request = null;
        return true;
    }

    private static List<String> lines(Fields fields) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < fields.count(); i++) {
            lines.add(fields.name(i) + ": " + fields.value(i));
        }
        return lines;
    }

    private static void check(boolean good) {
        if (!good) {
            throw new AssertionError("position out of range");
        }
    }
}

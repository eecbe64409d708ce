// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static io.sirocco.http.h1.Octets.MORE;
import static io.sirocco.http.h1.Octets.SP;

/**
 * The head of an answer, as a client reads it (RFC 9112 4):
 *
 * <pre>
 *        "HTTP/1." DIGIT SP        3DIGIT          [SP reason]    CRLF
 *  START ------------------> .... --------> STATUS -----------> -------> fields -> COMPLETE
 * </pre>
 *
 * A view of bytes that somebody else owns. Loop-confined.
 */
public final class AnswerHead extends Fields {
    private static final String VERSION = "HTTP/1.";
    private static final int STATUS_AT = 9; // behind the version, its digit and a space

    private int status;
    private int end;

    /** An empty head, to parse into. */
    public AnswerHead() {}

    /**
     * Reads the head that begins at {@code from}. The same bytes have the same verdict however they
     * arrive.
     */
    public Parsed parse(byte[] bytes, int from, int to, HeadLimits limits) {
        begin(bytes, from);
        boolean full = to - from >= limits.head();
        int stop = full ? from + limits.head() : to;
        int p = statusLine(bytes, from, stop);
        if (p >= 0) {
            p = FieldParser.section(this, bytes, p, stop, limits.headers());
        }
        if (p >= 0) {
            end = p - from;
            return Parsed.COMPLETE;
        }
        return p == MORE && !full ? Parsed.INCOMPLETE : Parsed.REJECTED;
    }

    private void begin(byte[] b, int from) {
        bytes = b;
        base = from;
        count = 0;
        rule = null;
    }

    private int statusLine(byte[] b, int from, int stop) {
        status = 0;
        for (int i = 0; i < STATUS_AT + 3; i++) {
            if (from + i == stop) {
                return MORE;
            }
            byte c = b[from + i];
            if (!fits(c, i)) {
                return Octets.BAD;
            }
            if (i >= STATUS_AT) {
                status = status * 10 + c - '0';
            }
        }
        int p = from + STATUS_AT + 3;
        if (p < stop && b[p] == SP) {
            while (p < stop && FieldParser.content(b[p])) {
                p++;
            }
        }
        return p == stop ? MORE : FieldParser.lineEnd(this, b, p, stop);
    }

    private static boolean fits(byte c, int i) {
        if (i < VERSION.length()) {
            return c == VERSION.charAt(i);
        }
        return i == STATUS_AT - 1 ? c == SP : Octets.digit(c) && (i != STATUS_AT || c != '0');
    }

    /** 100 to 999. */
    public int status() {
        return status;
    }

    /** Behind the blank line. */
    public int end() {
        return base + end;
    }

    /** What is wrong with a head that was rejected, in words. */
    public String why() {
        if (status == 0) {
            return "it does not begin as an answer of HTTP/1 does (RFC 9112 4)";
        }
        return rule == null ? "its head is too long" : rule.name() + " (" + rule.source() + ")";
    }
}

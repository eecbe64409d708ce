// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static io.sirocco.http.message.Octets.MORE;
import static io.sirocco.http.message.Octets.SP;

import io.sirocco.http.RequestError;
import io.sirocco.http.message.Fields;
import io.sirocco.http.message.HeadLimits;
import io.sirocco.http.message.Octets;

/**
 * The head of one response of HTTP/1.1 (RFC 9112 4), to be parsed into: used again for each
 * response, and allocating nothing once it has had its largest.
 *
 * <pre>
 *        "HTTP/1." DIGIT SP        3DIGIT          [SP reason]    CRLF
 *  START ------------------> .... --------> STATUS -----------> -------> fields -> framing -> COMPLETE
 * </pre>
 *
 * A view of bytes that somebody else owns: positions hold until these are moved. Loop-confined.
 */
public final class ResponseHead extends Fields {
    private static final long HTTP_1_1 = Octets.eight("HTTP/1.1");
    private static final String VERSION = "HTTP/";
    private static final int STATUS_AT = 9; // behind the version and a space
    private static final int STATUS_END = STATUS_AT + 3;

    long contentLength;
    boolean chunked;
    boolean keepAlive;
    boolean upgrade;
    private int minor;
    private int status;
    private int reasonFrom;
    private int reasonTo;
    private int end;
    private ResponseError error;

    /** An empty head, to parse into. */
    public ResponseHead() {}

    /**
     * Reads the head that begins at {@code from}. The same bytes have the same verdict however they
     * arrive; a head that can no longer be good or within its limits is rejected without waiting
     * for its end. The limit for targets means nothing here.
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
            p = ResponseFraming.read(this, bytes, p);
        }
        if (p >= 0) {
            end = p - from;
            return Parsed.COMPLETE;
        }
        if (p == MORE && !full) {
            return Parsed.INCOMPLETE;
        }
        if (p == MORE) {
            reject(RequestError.HEAD_TOO_LARGE, stop);
        }
        return Parsed.REJECTED;
    }

    private void begin(byte[] b, int from) {
        if (bytes != b) {
            bytes = b;
        }
        base = from;
        count = 0;
        rule = null;
        error = null;
        contentLength = -1;
        chunked = false;
        keepAlive = false;
        upgrade = false;
        status = 0;
    }

    /** Lets go of the bytes. */
    void reset() {
        begin(new byte[0], 0);
    }

    private int statusLine(byte[] b, int from, int stop) {
        int p = from + STATUS_END;
        if (p < stop
                && Octets.eight(b, from) == HTTP_1_1
                && b[from + 8] == SP
                && Octets.digit(b[p - 3])
                && Octets.digit(b[p - 2])
                && Octets.digit(b[p - 1])
                && b[p - 3] != '0') {
            minor = 1;
        } else {
            int seen = slowly(b, from, stop);
            if (seen < 0) {
                return seen;
            }
            minor = b[from + 7] == '0' ? 0 : 1; // RFC 9110 2.5: higher ones are read as 1.1
        }
        status = 100 * (b[p - 3] - '0') + 10 * (b[p - 2] - '0') + b[p - 1] - '0';
        reasonFrom = p - from;
        if (p < stop && b[p] == SP) {
            reasonFrom++;
            while (p < stop && FieldParser.content(b[p])) {
                p++;
            }
        } else if (p < stop && b[p] != Octets.CR && b[p] != Octets.LF) {
            return reject(ResponseError.BAD_STATUS_LINE, p);
        }
        reasonTo = p - from;
        return p == stop ? MORE : FieldParser.lineEnd(this, b, p, stop);
    }

    /** Byte for byte up to the end of the status: what is wrong there, or not there yet. */
    private int slowly(byte[] b, int from, int stop) {
        for (int i = 0; i < STATUS_END; i++) {
            int p = from + i;
            if (p == stop) {
                return MORE;
            }
            byte c = b[p];
            boolean fits =
                    switch (i) {
                        case 5, 7, 10, 11 -> Octets.digit(c);
                        case 6 -> c == '.';
                        case 8 -> c == SP;
                        case STATUS_AT -> Octets.digit(c) && c != '0';
                        default -> c == VERSION.charAt(i);
                    };
            if (!fits) {
                return reject(ResponseError.BAD_STATUS_LINE, p);
            }
            if (i == 7 && b[from + 5] != '1') {
                return reject(ResponseError.UNKNOWN_VERSION, from + 5);
            }
        }
        return from + STATUS_END == stop ? MORE : stop;
    }

    /** Notes a rule that requests do not have. */
    int reject(ResponseError broken, int position) {
        error = broken;
        at = position - base;
        return Octets.BAD;
    }

    /** The rule that a rejected head breaks. */
    ResponseError error() {
        if (error != null) {
            return error;
        }
        if (rule == null) {
            throw new IllegalStateException("not rejected");
        }
        return ResponseError.of(rule);
    }

    /** Returns where the rejected head breaks its rule: the index of the first wrong byte. */
    int brokenAt() {
        return base + at;
    }

    /** 100 to 999. */
    public int status() {
        return status;
    }

    /** The minor version: 0, or 1 for HTTP/1.1 and all that calls itself later. */
    public int minor() {
        return minor;
    }

    /** The reason phrase, which means nothing (RFC 9112 4); often empty. */
    String reason() {
        return Octets.text(bytes, base + reasonFrom, base + reasonTo);
    }

    /** Behind the blank line. */
    public int end() {
        return base + end;
    }

    /** Returns the value of Content-Length, or -1 without one. */
    long contentLength() {
        return contentLength;
    }

    /** Returns whether the body, if there is one, is in chunks. */
    boolean chunked() {
        return chunked;
    }

    /** Returns whether the server keeps the connection, if the response has an end of its own. */
    boolean keepAlive() {
        return keepAlive;
    }

    /** Returns whether it names another protocol: Upgrade, and Connection says so. */
    boolean upgrade() {
        return upgrade;
    }

    /** Returns whether it names this protocol and no other (RFC 9110 7.8). */
    boolean upgradesTo(String protocol) {
        String named = "";
        for (int i = 0; upgrade && i < count(); i++) {
            if (name(i).equalsIgnoreCase("Upgrade")) {
                named = named.isEmpty() ? value(i) : named + ", " + value(i);
            }
        }
        return named.equalsIgnoreCase(protocol);
    }

    /** Returns the rule that a rejected head breaks, with its clause. */
    public String why() {
        return error().name() + " (" + error().source() + ")";
    }
}

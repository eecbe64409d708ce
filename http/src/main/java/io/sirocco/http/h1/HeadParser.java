// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static io.sirocco.http.message.Octets.CR;
import static io.sirocco.http.message.Octets.LF;
import static io.sirocco.http.message.Octets.MORE;
import static io.sirocco.http.message.Octets.SP;

import io.sirocco.http.RequestError;
import io.sirocco.http.message.HeadLimits;
import io.sirocco.http.message.Octets;
import io.sirocco.http.message.RequestHead;

/**
 * Reads the request line, then hands over to {@link FieldParser} and {@link Framing}.
 *
 * <pre>
 *       tchar          SP            visible        SP             CRLF
 * START -----> METHOD -----> TARGET ---------> .... ----> VERSION -----> fields -> framing -> COMPLETE
 *   |  ^                          (forms: {@link Target})
 *   '--' one CRLF
 * </pre>
 *
 * Any thread.
 */
final class HeadParser {
    private static final long HTTP_1_1 = Octets.eight("HTTP/1.1");

    private static final int GET = Octets.four("GET ");

    private HeadParser() {}

    static Parsed parse(Head head, byte[] b, int from, int to, HeadLimits limits) {
        head.begin(b, from);
        boolean full = to - from >= limits.head();
        int stop = full ? from + limits.head() : to;
        int p = requestLine(head, b, from, stop, limits.target());
        if (p >= 0) {
            p = FieldParser.section(head, b, p, stop, limits.headers());
        }
        if (p >= 0) {
            p = Framing.read(head, b, p);
        }
        if (p >= 0) {
            head.end = p - from;
            return Parsed.COMPLETE;
        }
        if (p == MORE && !full) {
            return Parsed.INCOMPLETE;
        }
        if (p == MORE) {
            // All that a head may have is here, and it goes on.
            boolean inTarget = head.targetFrom > 0 && head.targetTo == 0;
            head.reject(
                    inTarget ? RequestError.TARGET_TOO_LONG : RequestError.HEAD_TOO_LARGE, stop);
        }
        return Parsed.REJECTED;
    }

    private static int requestLine(Head head, byte[] b, int p, int stop, int targetLimit) {
        p = emptyLine(head, b, p, stop);
        if (p >= 0) {
            p = method(head, b, p, stop);
        }
        if (p >= 0) {
            p = target(head, b, p, stop, targetLimit);
        }
        return p < 0 ? p : version(head, b, p, stop);
    }

    /**
     * RFC 9112 2.2: a server <q>SHOULD ignore at least one empty line (CRLF) received prior to the
     * request-line</q>. One it is.
     */
    private static int emptyLine(Head head, byte[] b, int p, int stop) {
        if (p == stop) {
            return MORE;
        }
        if (b[p] != CR) {
            return p;
        }
        p = FieldParser.lineEnd(head, b, p, stop);
        if (p >= 0 && p < stop && b[p] == CR) {
            return head.reject(RequestError.LEADING_EMPTY_LINE, p);
        }
        return p;
    }

    private static int method(Head head, byte[] b, int p, int stop) {
        head.methodFrom = p - head.base;
        int from = p;
        if (p + 4 <= stop && Octets.four(b, p) == GET) {
            p += 3;
        }
        while (p < stop && Octets.TOKEN[b[p] & 0xFF]) {
            p++;
        }
        if (p == stop) {
            return MORE;
        }
        if (b[p] != SP || p == from) {
            return head.reject(b[p] == LF ? RequestError.BARE_LF : RequestError.BAD_METHOD, p);
        }
        head.methodTo = p - head.base;
        return p + 1;
    }

    private static int target(Head head, byte[] b, int from, int stop, int limit) {
        head.targetFrom = from - head.base;
        int end = stop - from > limit ? from + limit : stop;
        for (int p = from; ; ) {
            p = plain(b, p, end);
            if (p == stop) {
                return MORE;
            }
            if (b[p] == SP) {
                head.targetTo = p - head.base;
                return Target.read(head, b, p);
            }
            if (p == end) {
                return head.reject(RequestError.TARGET_TOO_LONG, p);
            }
            if (b[p] == '%') {
                p = triplet(head, b, p, end, stop);
                if (p < 0) {
                    return p;
                }
            } else if (b[p] == '?') {
                if (head.queryFrom == 0) {
                    head.queryFrom = p + 1 - head.base;
                }
                p++;
            } else {
                return head.reject(targetRule(b[p]), p);
            }
        }
    }

    /** The first byte of a target that has to be looked at. */
    private static int plain(byte[] b, int p, int end) {
        while (p + 8 <= end) {
            long mask = Octets.unlikeTarget(Octets.eight(b, p));
            if (mask != 0) {
                return p + Octets.lane(mask);
            }
            p += 8;
        }
        while (p < end && Octets.TARGET[b[p] & 0xFF]) {
            p++;
        }
        return p;
    }

    /** RFC 3986 2.1: a percent sign and two hexadecimal digits. */
    private static int triplet(Head head, byte[] b, int p, int end, int stop) {
        for (int i = p + 1; i < p + 3; i++) {
            if (i == end) {
                return end == stop ? MORE : head.reject(RequestError.TARGET_TOO_LONG, i);
            }
            if (!Octets.hex(b[i])) {
                return head.reject(RequestError.BAD_TARGET, i);
            }
        }
        return p + 3;
    }

    private static RequestError targetRule(byte c) {
        return switch (c) {
            case LF -> RequestError.BARE_LF;
            case CR -> RequestError.BAD_VERSION; // "GET /" and no more: HTTP/0.9
            default ->
                    c >= 0 && (c < SP || c == 0x7F)
                            ? RequestError.CONTROL_CHARACTER
                            : RequestError.BAD_TARGET;
        };
    }

    private static int version(Head head, byte[] b, int p, int stop) {
        if (p + 10 <= stop && Octets.eight(b, p) == HTTP_1_1) {
            head.version = RequestHead.HTTP_1_1;
        } else {
            for (int i = 0; i < 8; i++) {
                if (p + i == stop) {
                    return MORE;
                }
                if (!versionByte(b[p + i], i)) {
                    return head.reject(RequestError.BAD_VERSION, p + i);
                }
                if (i == 7 && b[p + 5] != '1') {
                    return head.reject(RequestError.UNKNOWN_VERSION, p + 5);
                }
            }
            // RFC 9110 2.5: a higher minor version is read as the highest one that we know.
            head.version = b[p + 7] == '0' ? RequestHead.HTTP_1_0 : RequestHead.HTTP_1_1;
        }
        p += 8;
        if (p < stop && b[p] != CR && b[p] != LF) {
            return head.reject(RequestError.BAD_VERSION, p);
        }
        return p == stop ? MORE : FieldParser.lineEnd(head, b, p, stop);
    }

    /** {@code HTTP-version = "HTTP" "/" DIGIT "." DIGIT}, in this case of letters. */
    private static boolean versionByte(byte c, int i) {
        return i == 5 || i == 7 ? Octets.digit(c) : c == "HTTP/ .".charAt(i);
    }
}

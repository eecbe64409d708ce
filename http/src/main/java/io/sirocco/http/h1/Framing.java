// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import io.sirocco.http.RequestError;
import io.sirocco.http.message.Authority;
import io.sirocco.http.message.Fields;
import io.sirocco.http.message.Octets;
import io.sirocco.http.message.TargetForm;

/**
 * What the fields of a head mean for the connection: whose the request is, where its body ends,
 * what happens behind it. Any thread.
 */
final class Framing {
    private static final int HOST = Octets.four("host");
    private static final long CONTENT_ = Octets.eight("content-");
    private static final long T_LENGTH = Octets.eight("t-length");
    private static final long TRANSFER = Octets.eight("transfer");
    private static final long ENCODING = Octets.eight("encoding");
    private static final long CONNECTI = Octets.eight("connecti");
    private static final long NNECTION = Octets.eight("nnection");
    private static final long KEEP_ALI = Octets.eight("keep-ali");
    private static final long EP_ALIVE = Octets.eight("ep-alive");
    private static final int CLOS = Octets.four("clos");
    private static final int LOSE = Octets.four("lose");
    private static final int EXPE = Octets.four("expe");
    private static final int PECT = Octets.four("pect");
    private static final int UPGR = Octets.four("upgr");
    private static final int RADE = Octets.four("rade");

    static final int CLOSE = 1;
    static final int KEEP_ALIVE = 2;
    static final int CONNECTION_UPGRADE = 4;
    private static final int UPGRADE = 8;
    private static final int SAW_HOST = 16;
    private static final int SAW_CODING = 32;
    private static final int CODINGS = 64; // not chunked alone: the list is judged as a whole

    private Framing() {}

    // Tokens and values have no control characters, and so none of their bytes but a letter or a
    // hyphen becomes one of the letters or the hyphens above by setting 0x20: comparing four or
    // eight bytes in lower case is exact.

    private static int four(byte[] b, int p) {
        return Octets.fourLower(b, p);
    }

    private static long eight(byte[] b, int p) {
        return Octets.eightLower(b, p);
    }

    /** Returns {@code end}, or {@link Octets#BAD}. */
    static int read(Head head, byte[] b, int end) {
        int[] offsets = head.offsets;
        int seen = 0;
        for (int i = 0, n = 4 * head.count; i < n; i += 4) {
            int from = offsets[i];
            int name = head.base + from;
            switch (offsets[i + 1] - from) {
                case 4 -> {
                    if (four(b, name) == HOST) {
                        seen = host(head, b, i, seen);
                    }
                }
                case 6 -> {
                    if (four(b, name) == EXPE && four(b, name + 2) == PECT) {
                        seen = expect(head, b, i, seen);
                    }
                }
                case 7 -> {
                    if (four(b, name) == UPGR
                            && four(b, name + 3) == RADE
                            && offsets[i + 3] > offsets[i + 2]) {
                        seen |= UPGRADE;
                    }
                }
                case 10 -> {
                    if (eight(b, name) == CONNECTI && eight(b, name + 2) == NNECTION) {
                        seen |=
                                connection(
                                        b, head.base + offsets[i + 2], head.base + offsets[i + 3]);
                    }
                }
                case 14 -> {
                    if (eight(b, name) == CONTENT_ && eight(b, name + 6) == T_LENGTH) {
                        seen = length(head, b, i, seen);
                    }
                }
                case 17 -> {
                    if (eight(b, name) == TRANSFER
                            && eight(b, name + 9) == ENCODING
                            && b[name + 8] == '-') {
                        seen = coding(head, b, i, seen);
                    }
                }
                default -> {}
            }
            if (seen < 0) {
                return seen;
            }
        }
        return finish(head, seen, end);
    }

    private static int finish(Head head, int seen, int end) {
        if ((seen & CODINGS) != 0) {
            return codings(head);
        }
        boolean modern = head.minor() > 0;
        if (modern && (seen & SAW_HOST) == 0) {
            return head.reject(RequestError.HOST_MISSING, end - 1);
        }
        boolean asked = (seen & KEEP_ALIVE) != 0;
        head.keepAlive = (seen & CLOSE) == 0 && (modern || asked);
        // RFC 9110 7.8: a server MUST ignore Upgrade in an HTTP/1.0 request.
        head.upgrade =
                modern && (seen & (UPGRADE | CONNECTION_UPGRADE)) == (UPGRADE | CONNECTION_UPGRADE);
        return end;
    }

    /** RFC 9112 3.2, and 3.2.2: the authority of an absolute target goes before the field. */
    private static int host(Head head, byte[] b, int i, int seen) {
        int from = head.base + head.offsets[i + 2];
        int to = head.base + head.offsets[i + 3];
        if ((seen & SAW_HOST) != 0) {
            return head.reject(RequestError.HOST_TWICE, head.base + head.offsets[i]);
        }
        // RFC 9112 3.3: an http URI needs an authority, and we configure no default one.
        boolean none = from == to && head.form == TargetForm.ASTERISK;
        int name = none ? to : Authority.nameEnd(b, from, to);
        if (name < 0) {
            return head.reject(RequestError.BAD_HOST, from);
        }
        if (head.hostFrom == 0) {
            head.host(from, name, to);
        }
        return seen | SAW_HOST;
    }

    /** RFC 9112 6.2 and 6.3; digits only, once. */
    private static int length(Head head, byte[] b, int i, int seen) {
        int from = head.base + head.offsets[i + 2];
        int to = head.base + head.offsets[i + 3];
        if (head.contentLength >= 0) {
            return head.reject(RequestError.TWO_LENGTHS, head.base + head.offsets[i]);
        }
        if ((seen & SAW_CODING) != 0) {
            return head.reject(RequestError.LENGTH_AND_CODING, head.base + head.offsets[i]);
        }
        if (from == to || to - from > 18) {
            return head.reject(RequestError.BAD_LENGTH, from);
        }
        long length = 0;
        for (int p = from; p < to; p++) {
            if (!Octets.digit(b[p])) {
                return head.reject(RequestError.BAD_LENGTH, p);
            }
            length = length * 10 + b[p] - '0';
        }
        head.contentLength = length;
        return seen;
    }

    private static int coding(Head head, byte[] b, int i, int seen) {
        int from = head.base + head.offsets[i + 2];
        int to = head.base + head.offsets[i + 3];
        if (head.minor() == 0) {
            return head.reject(RequestError.CODING_IN_HTTP_1_0, head.base + head.offsets[i]);
        }
        if (head.contentLength >= 0) {
            return head.reject(RequestError.LENGTH_AND_CODING, head.base + head.offsets[i]);
        }
        if ((seen & SAW_CODING) != 0 || !Octets.same(b, from, to, "chunked")) {
            return seen | SAW_CODING | CODINGS;
        }
        head.chunked = true;
        return seen | SAW_CODING;
    }

    /**
     * Rejects codings other than {@code chunked} alone. RFC 9110 5.3: several lines of one name are
     * one list, in their order.
     */
    static int codings(Fields head) {
        var list = new StringBuilder();
        int first = head.find("Transfer-Encoding");
        for (int i = first; i >= 0; i = head.find("Transfer-Encoding", i + 1)) {
            list.append(i == first ? "" : ",").append(head.value(i));
        }
        return head.reject(codingRule(list.toString()), head.valueFrom(first));
    }

    /**
     * RFC 9112 6.3: when chunked is not the final coding, the server <q>MUST respond with the 400
     * status code and then close the connection</q>; for others before it, 6.1 asks for 501.
     */
    private static RequestError codingRule(String list) {
        int chunked = 0;
        boolean last = false;
        for (String coding : list.split(",", -1)) {
            last = coding.strip().equalsIgnoreCase("chunked");
            chunked += last ? 1 : 0;
        }
        if (chunked > 1) {
            return RequestError.CODING_TWICE;
        }
        return last ? RequestError.UNKNOWN_CODING : RequestError.CHUNKED_NOT_LAST;
    }

    /**
     * RFC 9110 10.1.1, a list whose elements may be empty (5.6.1.2); in an HTTP/1.0 request the
     * only known expectation MUST be ignored, so no other is read either.
     */
    private static int expect(Head head, byte[] b, int i, int seen) {
        int from = head.base + head.offsets[i + 2];
        int to = head.base + head.offsets[i + 3];
        if (head.minor() == 0) {
            return seen;
        }
        for (int p = from; p < to; p++) {
            int element = p;
            while (p < to && b[p] != ',') {
                p++;
            }
            int last = p;
            while (element < last && Octets.space(b[element])) {
                element++;
            }
            while (last > element && Octets.space(b[last - 1])) {
                last--;
            }
            if (element == last) {
                continue;
            }
            if (!Octets.same(b, element, last, "100-continue")) {
                return head.reject(RequestError.UNKNOWN_EXPECTATION, from);
            }
            head.expectContinue = true;
        }
        return seen;
    }

    /** The options of one Connection field that matter here: RFC 9110 7.6.1, any case. */
    static int connection(byte[] b, int p, int to) {
        int options = 0;
        while (p < to) {
            int from = p;
            while (p < to && b[p] != ',') {
                p++;
            }
            options |= option(b, from, p);
            p++;
        }
        return options;
    }

    private static int option(byte[] b, int from, int to) {
        while (from < to && Octets.space(b[from])) {
            from++;
        }
        while (to > from && Octets.space(b[to - 1])) {
            to--;
        }
        return switch (to - from) {
            case 5 -> four(b, from) == CLOS && four(b, from + 1) == LOSE ? CLOSE : 0;
            case 7 -> four(b, from) == UPGR && four(b, from + 3) == RADE ? CONNECTION_UPGRADE : 0;
            case 10 ->
                    eight(b, from) == KEEP_ALI && eight(b, from + 2) == EP_ALIVE ? KEEP_ALIVE : 0;
            default -> 0;
        };
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import io.sirocco.http.RequestError;
import io.sirocco.http.message.Octets;

/**
 * What the fields of a response mean for the connection: where its body ends (RFC 9112 6.3) and
 * whether it lives on (RFC 9112 9.3). Response splitting is prevented here. Any thread.
 */
final class ResponseFraming {
    private static final int CODED = 1; // Transfer-Encoding is there
    private static final int ODD = 2; // and is not chunked alone
    private static final int UPGRADE = 4;

    private ResponseFraming() {}

    /** Returns {@code end}, or {@link Octets#BAD}. */
    static int read(ResponseHead head, byte[] b, int end) {
        int[] offsets = head.offsets;
        int seen = 0;
        int options = 0;
        for (int i = 0, n = 4 * head.count; i < n; i += 4) {
            int name = head.base + offsets[i];
            int nameEnd = head.base + offsets[i + 1];
            switch (nameEnd - name) {
                case 7 -> {
                    if (Octets.same(b, name, nameEnd, "upgrade")
                            && offsets[i + 3] > offsets[i + 2]) {
                        seen |= UPGRADE;
                    }
                }
                case 10 -> {
                    if (Octets.same(b, name, nameEnd, "connection")) {
                        options |= Framing.connection(b, from(head, i), to(head, i));
                    }
                }
                case 14 -> {
                    if (Octets.same(b, name, nameEnd, "content-length") && length(head, b, i) < 0) {
                        return Octets.BAD;
                    }
                }
                case 17 -> {
                    if (Octets.same(b, name, nameEnd, "transfer-encoding")) {
                        seen = coding(head, b, i, seen);
                    }
                }
                default -> {}
            }
        }
        return finish(head, seen, options, end);
    }

    private static int from(ResponseHead head, int i) {
        return head.base + head.offsets[i + 2];
    }

    private static int to(ResponseHead head, int i) {
        return head.base + head.offsets[i + 3];
    }

    /** Digits only, once. */
    private static int length(ResponseHead head, byte[] b, int i) {
        int from = from(head, i);
        int to = to(head, i);
        if (head.contentLength >= 0) {
            return head.reject(RequestError.TWO_LENGTHS, from);
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
        return 0;
    }

    private static int coding(ResponseHead head, byte[] b, int i, int seen) {
        boolean alone =
                (seen & CODED) == 0 && Octets.same(b, from(head, i), to(head, i), "chunked");
        head.chunked = alone;
        return seen | CODED | (alone ? 0 : ODD);
    }

    private static int finish(ResponseHead head, int seen, int options, int end) {
        boolean coded = (seen & CODED) != 0;
        int status = head.status();
        if (coded) {
            if (head.minor() == 0) {
                return head.reject(RequestError.CODING_IN_HTTP_1_0, end - 1);
            }
            if (head.contentLength >= 0) {
                return head.reject(RequestError.LENGTH_AND_CODING, end - 1);
            }
            if ((seen & ODD) != 0) {
                return Framing.codings(head);
            }
        }
        // RFC 9112 6.1, RFC 9110 8.6: neither Transfer-Encoding nor Content-Length in 1xx and 204;
        // a length of 0 says what is so anyhow.
        if ((status < 200 || status == 204) && (coded || head.contentLength > 0)) {
            return head.reject(ResponseError.UNEXPECTED_BODY, end - 1);
        }
        boolean modern = head.minor() > 0;
        head.keepAlive =
                (options & Framing.CLOSE) == 0 && (modern || (options & Framing.KEEP_ALIVE) != 0);
        head.upgrade = (seen & UPGRADE) != 0 && (options & Framing.CONNECTION_UPGRADE) != 0;
        return end;
    }
}

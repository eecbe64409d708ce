// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import io.sirocco.http.RequestError;
import io.sirocco.http.message.HeadLimits;
import io.sirocco.http.message.Octets;
import io.sirocco.http.message.RequestHead;
import java.util.Arrays;

/**
 * The head of one request of HTTP/1.1, to be parsed into: used again for each request, and
 * allocating nothing. Positions hold until the bytes are moved, the next {@link #parse} or the next
 * {@link #repeatedAt}; {@link #detach} makes a copy that lasts, of what is not peculiar to
 * HTTP/1.1. Loop-confined.
 */
public final class Head extends RequestHead {
    long contentLength;
    boolean chunked;
    boolean keepAlive;
    boolean expectContinue;
    boolean upgrade;

    /** An empty head, to parse into. */
    public Head() {}

    /**
     * Reads the head that begins at {@code from}. The same bytes have the same verdict however they
     * arrive; a head that can no longer be good or within its limits is rejected without waiting
     * for its end.
     */
    public Parsed parse(byte[] bytes, int from, int to, HeadLimits limits) {
        return HeadParser.parse(this, bytes, from, to, limits);
    }

    /**
     * Moves on to the head at {@code from} if it consists of the same bytes as this complete one
     * and directly follows it in the same array: of equal pipelined requests, only the first in
     * each read is parsed.
     *
     * @return false, without a change, if it must be parsed
     */
    boolean repeatedAt(byte[] b, int from, int to) {
        int length = end;
        if (length == 0
                || b != bytes
                || from != base + length
                || to - from < length
                || !Arrays.equals(b, base, from, b, from, from + length)) {
            return false;
        }
        base = from;
        return true;
    }

    /**
     * Makes {@link #repeatedAt} return false until a head has been parsed: its array may change.
     */
    void forget() {
        end = 0;
    }

    void begin(byte[] b, int from) {
        if (bytes != b) { // Mostly the same slab: spares the collector's write barrier.
            bytes = b;
        }
        base = from;
        parseCount++;
        end = 0;
        count = 0;
        rule = null;
        targetFrom = 0;
        targetTo = 0;
        queryFrom = 0;
        hostFrom = 0;
        hostTo = 0;
        authorityTo = 0;
        contentLength = -1;
        chunked = false;
        expectContinue = false;
    }

    /** The rule that a rejected head breaks. */
    RequestError rule() {
        if (rule == null) {
            throw new IllegalStateException("not rejected");
        }
        return rule;
    }

    /** Returns where the rejected head breaks its rule: the index of the first wrong byte. */
    int brokenAt() {
        return base + at;
    }

    /** Returns whether the method and the target have been read, of a head that may go on. */
    boolean hasRequestLine() {
        return targetTo > 0;
    }

    /** The method of a head that may have been rejected: empty when that began before its end. */
    String methodSeen() {
        return targetFrom == 0 ? "" : method();
    }

    /** The target of a head that may have been rejected: as far as it was read. */
    String targetSeen() {
        return Octets.text(bytes, targetFrom(), targetSeenTo());
    }

    private int targetSeenTo() {
        if (targetTo > 0) {
            return targetTo();
        }
        return targetFrom > 0 && rule != null ? brokenAt() : targetFrom();
    }

    /**
     * The path and the query of a head that may have been rejected, as far as they were read: of an
     * absolute form, be it wrong, the part behind its authority, which may have a password.
     */
    String pathAndQuerySeen() {
        int from = Target.authorityEnd(bytes, targetFrom(), targetSeenTo());
        String seen = Octets.text(bytes, from, targetSeenTo());
        boolean implied = from > targetFrom() && hasRequestLine() && !seen.startsWith("/");
        return implied ? "/" + seen : seen;
    }

    /** The minor version: 0, or 1 for HTTP/1.1 and all that calls itself later. */
    int minor() {
        return version == HTTP_1_0 ? 0 : 1;
    }

    /** Bytes of the body, or -1 without Content-Length. */
    long contentLength() {
        return contentLength;
    }

    /** Returns whether the body is in chunks, for {@link Chunked} to read. */
    boolean chunked() {
        return chunked;
    }

    /** Returns whether bytes of this request follow the head. */
    boolean hasBody() {
        return chunked || contentLength > 0;
    }

    /** Returns whether the connection may live on: RFC 9112 9.3. */
    boolean keepAlive() {
        return keepAlive;
    }

    /** Returns whether the client waits for 100 before it sends the body. */
    boolean expectContinue() {
        return expectContinue;
    }

    /** Returns whether the client asks for another protocol: Upgrade, and Connection says so. */
    boolean upgrade() {
        return upgrade;
    }
}

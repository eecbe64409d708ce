// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import io.sirocco.http.Rule;

/**
 * The head of one request: a view of bytes that somebody else owns, used again for each request and
 * allocating nothing. Positions are indices of {@link #bytes}; they hold until those bytes are
 * moved or the next {@link #parse}. {@link #detach} makes a copy that lasts. Loop-confined, except
 * a copy, which is immutable.
 */
public final class Head extends Fields {
    private static final String[] METHODS = {
        "GET", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE"
    };

    // Relative to base, as are the offsets of the fields. Zero: not there.
    int end;
    int methodFrom;
    int methodTo;
    int targetFrom;
    int targetTo;
    int pathFrom;
    int pathTo;
    int queryFrom;
    int hostFrom;
    int hostTo;
    int authorityTo;

    int minor;
    TargetForm form = TargetForm.ORIGIN;
    long contentLength;
    boolean chunked;
    boolean keepAlive;
    boolean expectContinue;
    boolean upgrade;

    /** An empty head, to parse into. */
    public Head() {}

    private Head(Head other) {
        super(other, other.end);
        take(other);
    }

    private void take(Head other) {
        end = other.end;
        methodFrom = other.methodFrom;
        methodTo = other.methodTo;
        targetFrom = other.targetFrom;
        targetTo = other.targetTo;
        pathFrom = other.pathFrom;
        pathTo = other.pathTo;
        queryFrom = other.queryFrom;
        hostFrom = other.hostFrom;
        hostTo = other.hostTo;
        authorityTo = other.authorityTo;
        minor = other.minor;
        form = other.form;
        contentLength = other.contentLength;
        chunked = other.chunked;
        keepAlive = other.keepAlive;
        expectContinue = other.expectContinue;
        upgrade = other.upgrade;
    }

    /**
     * Reads the head that begins at {@code from}. The same bytes have the same verdict however they
     * arrive; a head that can no longer be good or within its limits is rejected without waiting
     * for its end.
     */
    public Parsed parse(byte[] bytes, int from, int to, HeadLimits limits) {
        return HeadParser.parse(this, bytes, from, to, limits);
    }

    void begin(byte[] b, int from) {
        if (bytes != b) { // Mostly the same slab: spares the collector's write barrier.
            bytes = b;
        }
        base = from;
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

    void host(int from, int nameEnd, int to) {
        hostFrom = from - base;
        hostTo = nameEnd - base;
        authorityTo = to - base;
    }

    /** Lets go of the bytes. */
    public void reset() {
        begin(new byte[0], 0);
        end = methodFrom = methodTo = pathFrom = pathTo = 0;
    }

    /** A copy of a complete head that owns its bytes. */
    public Head detach() {
        return new Head(this);
    }

    /** Copies this head, of at most {@code most} bytes, into {@code into}; else makes a copy. */
    public Head detach(Head into, int most) {
        if (end > most) {
            return detach();
        }
        if (into.bytes.length < end) {
            into.bytes = new byte[Math.min(most, Math.max(512, 2 * end))];
        }
        if (into.offsets.length < 4 * count) {
            into.offsets = new int[8 * count];
        }
        System.arraycopy(bytes, base, into.bytes, 0, end);
        System.arraycopy(offsets, 0, into.offsets, 0, 4 * count);
        into.base = 0;
        into.count = count;
        into.take(this);
        return into;
    }

    /** The rule that a rejected head breaks. */
    public Rule rule() {
        if (rule == null) {
            throw new IllegalStateException("not rejected");
        }
        return rule;
    }

    /** Where the rejected head breaks its rule: the first byte that cannot be. */
    public int brokenAt() {
        return base + at;
    }

    /** Behind the blank line: where the body begins. */
    public int end() {
        return base + end;
    }

    public int methodFrom() {
        return base + methodFrom;
    }

    public int methodTo() {
        return base + methodTo;
    }

    /** Any token; its case matters. The usual methods allocate nothing. */
    public String method() {
        for (String known : METHODS) {
            if (isMethod(known)) {
                return known;
            }
        }
        return Octets.text(bytes, methodFrom(), methodTo());
    }

    private boolean isMethod(String known) {
        int length = methodTo - methodFrom;
        if (length != known.length()) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (bytes[base + methodFrom + i] != known.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** The method of a head that may have been rejected: empty when that began before its end. */
    public String methodSeen() {
        return targetFrom == 0 ? "" : method();
    }

    /** The target of a head that may have been rejected: as far as it was read. */
    public String targetSeen() {
        if (targetFrom == 0) {
            return "";
        }
        return Octets.text(bytes, targetFrom(), targetTo == 0 ? brokenAt() : targetTo());
    }

    public TargetForm form() {
        return form;
    }

    public int targetFrom() {
        return base + targetFrom;
    }

    public int targetTo() {
        return base + targetTo;
    }

    /** The request target as it came. */
    public String target() {
        return Octets.text(bytes, targetFrom(), targetTo());
    }

    public int pathFrom() {
        return base + pathFrom;
    }

    /** Equal to {@link #pathFrom} in the authority form, and where an absolute form has no path. */
    public int pathTo() {
        return base + pathTo;
    }

    /**
     * The path as it came, percent triplets and all. {@code "/"} where an absolute form has none,
     * {@code "*"} in the asterisk form, empty in the authority form.
     */
    public String path() {
        boolean implied = pathFrom == pathTo && form == TargetForm.ABSOLUTE;
        return implied ? "/" : Octets.text(bytes, pathFrom(), pathTo());
    }

    /** Whether there is a question mark, be it with nothing behind it. */
    public boolean hasQuery() {
        return queryFrom != 0;
    }

    /** Behind the question mark; the end of the target without one. */
    public int queryFrom() {
        return base + (queryFrom == 0 ? targetTo : queryFrom);
    }

    public int queryTo() {
        return base + targetTo;
    }

    /** The query as it came, without its question mark; empty without one. */
    public String query() {
        return Octets.text(bytes, queryFrom(), queryTo());
    }

    /** The minor version: 0, or 1 for HTTP/1.1 and all that calls itself later. */
    public int minor() {
        return minor;
    }

    /** Whether the request says for whom it is: always in HTTP/1.1, but for {@code OPTIONS *}. */
    public boolean hasHost() {
        return hostTo > hostFrom;
    }

    /** The host: of an absolute or authority target, else of the Host field. */
    public int hostFrom() {
        return base + hostFrom;
    }

    /** Behind the host, before the port and its colon. */
    public int hostTo() {
        return base + hostTo;
    }

    /** The host as it came, IPv6 with its brackets, without a port; empty if there is none. */
    public String host() {
        return Octets.text(bytes, hostFrom(), hostTo());
    }

    /** Behind the host and its port. */
    public int authorityTo() {
        return base + authorityTo;
    }

    /** 0 to 65535, or -1 when the host has no port. */
    public int port() {
        return Authority.portOf(bytes, hostTo(), authorityTo());
    }

    /** Bytes of the body, or -1 without Content-Length. */
    public long contentLength() {
        return contentLength;
    }

    /** Whether the body is in chunks, for {@link Chunked} to read. */
    public boolean chunked() {
        return chunked;
    }

    /** Whether bytes of this request follow the head. */
    public boolean hasBody() {
        return chunked || contentLength > 0;
    }

    /** Whether the connection may live on: RFC 9112 9.3. */
    public boolean keepAlive() {
        return keepAlive;
    }

    /** Whether the client waits for 100 before it sends the body. */
    public boolean expectContinue() {
        return expectContinue;
    }

    /** Whether the client asks for another protocol: Upgrade, and Connection says so. */
    public boolean upgrade() {
        return upgrade;
    }
}

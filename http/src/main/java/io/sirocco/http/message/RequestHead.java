// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

/**
 * The head of one request as handlers see it, whatever version of HTTP it came by: method, target,
 * host and fields, as a view of bytes that another object owns. Positions are indices of {@link
 * #bytes}. {@link #detach} makes a copy that lasts. Loop-confined, except a copy, which is
 * immutable.
 */
public class RequestHead extends Fields {
    public static final int HTTP_1_0 = 10;
    public static final int HTTP_1_1 = 11;

    private static final String[] METHODS = {
        "GET", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE"
    };

    // Relative to base, as are the offsets of the fields. Zero: not there.
    public int end;
    public int methodFrom;
    public int methodTo;
    public int targetFrom;
    public int targetTo;
    public int pathFrom;
    public int pathTo;
    public int queryFrom;
    public int hostFrom;
    public int hostTo;
    public int authorityTo;

    public TargetForm form = TargetForm.ORIGIN;
    public int version = HTTP_1_1;

    /**
     * How often parsing into this object has begun: two requests that are opened at the same count
     * have the same bytes. 0 in an object that is not parsed into.
     */
    public long parseCount;

    /** An empty head. */
    public RequestHead() {}

    private RequestHead(RequestHead other) {
        super(other, other.end);
        take(other);
    }

    private void take(RequestHead other) {
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
        form = other.form;
        version = other.version;
    }

    public void host(int from, int nameEnd, int to) {
        hostFrom = from - base;
        hostTo = nameEnd - base;
        authorityTo = to - base;
    }

    /** A copy of a complete head that owns its bytes. */
    public RequestHead detach() {
        return new RequestHead(this);
    }

    /** Returns an empty head, for {@link #detach(RequestHead, int)}. */
    public static RequestHead spare() {
        return new RequestHead();
    }

    /** Copies this head, of at most {@code most} bytes, into {@code into}; else makes a copy. */
    public RequestHead detach(RequestHead into, int most) {
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

    /** Behind the blank line: where the body begins. */
    public int end() {
        return base + end;
    }

    /** The version of HTTP that it came by: {@code HTTP/1.1}, for one. */
    public String version() {
        return version == HTTP_1_0 ? "HTTP/1.0" : "HTTP/1.1";
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

    /** Returns whether the method is HEAD. */
    public boolean isHead() {
        return isMethod("HEAD");
    }

    final boolean isMethod(String known) {
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

    public TargetForm form() {
        return form;
    }

    public int targetFrom() {
        return base + targetFrom;
    }

    public int targetTo() {
        return base + targetTo;
    }

    /** The request target as it came, in any of the four forms. */
    public String target() {
        return Octets.text(bytes, targetFrom(), targetTo());
    }

    /**
     * The path and the query, whatever form the target has: of an absolute form the part behind its
     * authority, {@code "*"} of the asterisk form, and the authority of CONNECT.
     */
    public String pathAndQuery() {
        if (form != TargetForm.ABSOLUTE) {
            return target();
        }
        return pathFrom < pathTo
                ? Octets.text(bytes, pathFrom(), targetTo())
                : "/" + Octets.text(bytes, pathTo(), targetTo());
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

    /** Returns whether there is a question mark, be it with nothing behind it. */
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

    /**
     * Returns whether the request says for whom it is: always in HTTP/1.1, but for {@code OPTIONS
     * *}.
     */
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
}

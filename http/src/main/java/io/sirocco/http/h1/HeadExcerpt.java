// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.message.HeadLimits;
import java.io.ByteArrayOutputStream;

/**
 * Makes a head of what is known of a refused request, its method, its target, {@code Host} and
 * {@code Origin}, so that the filters of its route finish the error page. A browser sends these
 * before its cookies, which usually make headers too large. Any thread.
 */
final class HeadExcerpt {
    private static final byte[] HOST = "host:".getBytes(ISO_8859_1);
    private static final byte[] ORIGIN = "origin:".getBytes(ISO_8859_1);

    private HeadExcerpt() {}

    /**
     * Returns a complete head, whose target ends before the byte for which it was refused, and
     * which has the headers as far as they have arrived; null if the method or the target is not
     * known.
     *
     * @param seen the head that was rejected, or whose request line is complete
     */
    static Head of(Head seen, byte[] bytes, int from, int to, HeadLimits limits) {
        String target = whole(seen.targetSeen());
        if (target.isEmpty()) {
            return null;
        }
        byte[] host = lines(HOST, bytes, from, to);
        byte[] origin = lines(ORIGIN, bytes, from, to);
        Head all = null;
        if (host.length > 0) {
            all = parsed(seen.methodSeen() + " " + target + " HTTP/1.1", host, origin, limits);
        }
        if (all == null) { // it is missing, or wrong
            byte[] none = {};
            all = parsed(seen.methodSeen() + " " + target + " HTTP/1.0", none, origin, limits);
        }
        return all;
    }

    /** Returns a target without a percent-encoding that is cut off. */
    private static String whole(String target) {
        int percent = target.lastIndexOf('%');
        return percent >= 0 && percent > target.length() - 3
                ? target.substring(0, percent)
                : target;
    }

    private static Head parsed(String requestLine, byte[] host, byte[] origin, HeadLimits limits) {
        var all = new ByteArrayOutputStream(requestLine.length() + host.length + origin.length + 4);
        all.writeBytes((requestLine + "\r\n").getBytes(ISO_8859_1));
        all.writeBytes(host);
        all.writeBytes(origin);
        all.writeBytes("\r\n".getBytes(ISO_8859_1));
        var head = new Head();
        return head.parse(all.toByteArray(), 0, all.size(), limits) == Parsed.COMPLETE
                ? head
                : null;
    }

    /** Returns the header lines of a name, up to the end of the headers. */
    private static byte[] lines(byte[] name, byte[] bytes, int from, int to) {
        var lines = new ByteArrayOutputStream(64);
        int line = from;
        for (int at = from; at < to; at++) {
            if (bytes[at] != '\n') {
                continue;
            }
            if (at - line < 2 && line > from) {
                break;
            }
            if (isNamed(name, bytes, line, at)) {
                lines.write(bytes, line, at + 1 - line);
            }
            line = at + 1;
        }
        return lines.toByteArray();
    }

    private static boolean isNamed(byte[] name, byte[] bytes, int from, int to) {
        if (to - from < name.length) {
            return false;
        }
        for (int i = 0; i < name.length; i++) {
            if ((bytes[from + i] | 0x20) != (name[i] | 0x20)) {
                return false;
            }
        }
        return true;
    }
}

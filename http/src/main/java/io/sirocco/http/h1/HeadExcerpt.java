// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.message.HeadLimits;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/**
 * Extracts the request line, {@code Host} and {@code Origin} from the headers of a refused request,
 * so that the filters of its route finish the error page. A browser sends these before its cookies,
 * which usually make headers too large. Any thread.
 */
final class HeadExcerpt {
    private static final byte[][] NAMES = {
        "host:".getBytes(ISO_8859_1), "origin:".getBytes(ISO_8859_1)
    };

    private HeadExcerpt() {}

    /** Returns a complete head; null if the request line or the excerpt is malformed as well. */
    static Head of(byte[] bytes, int from, int to, HeadLimits limits) {
        int stop = Math.min(to, from + limits.head());
        var lines = new ByteArrayOutputStream(256);
        int line = from;
        for (int at = from; at < stop; at++) {
            if (bytes[at] != '\n') {
                continue;
            }
            if (line == from || named(bytes, line, at)) {
                lines.write(bytes, line, at + 1 - line);
            }
            line = at + 1;
        }
        lines.write('\r');
        lines.write('\n');
        byte[] all = lines.toByteArray();
        var head = new Head();
        return head.parse(all, 0, all.length, limits) == Parsed.COMPLETE ? head : null;
    }

    private static boolean named(byte[] bytes, int from, int to) {
        for (byte[] name : NAMES) {
            int end = from + name.length;
            if (end <= to && isName(Arrays.copyOfRange(bytes, from, end), name)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isName(byte[] bytes, byte[] name) {
        for (int i = 0; i < name.length; i++) {
            if ((bytes[i] | 0x20) != (name[i] | 0x20)) {
                return false;
            }
        }
        return true;
    }
}

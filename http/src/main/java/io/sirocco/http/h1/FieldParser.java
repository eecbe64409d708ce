// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static io.sirocco.http.message.Octets.CR;
import static io.sirocco.http.message.Octets.LF;
import static io.sirocco.http.message.Octets.MORE;
import static io.sirocco.http.message.Octets.TOKEN;

import io.sirocco.http.RequestError;
import io.sirocco.http.message.Fields;
import io.sirocco.http.message.Octets;
import java.util.Arrays;

/**
 * Reads field lines up to the blank line: RFC 9112 5.
 *
 * <pre>
 *      tchar       ":"        OWS         CR        LF
 * LINE -----> NAME ---> SPACE ---> VALUE ---> .... ---> LINE
 *   | CR
 *   '-----> .... -LF-> end
 * </pre>
 *
 * Any byte without an arrow breaks a rule. Any thread.
 */
final class FieldParser {

    private FieldParser() {}

    /**
     * Fills {@code into} from {@code b[p..stop)}; returns the position behind the blank line,
     * {@link Octets#MORE} or {@link Octets#BAD}.
     */
    static int section(Fields into, byte[] b, int p, int stop, int most) {
        int[] offsets = into.offsets;
        int base = into.base;
        for (int n = 0; p < stop; n += 4) {
            if (b[p] == CR) {
                into.count = n >>> 2;
                return lineEnd(into, b, p, stop);
            }
            if (n == 4 * most) {
                return into.reject(RequestError.TOO_MANY_HEADERS, p);
            }
            if (n == offsets.length) {
                offsets = into.offsets = Arrays.copyOf(offsets, Math.max(64, n * 2));
            }
            offsets[n] = p - base;
            int colon = name(b, p, stop);
            if (colon == stop) {
                return MORE;
            }
            if (b[colon] != ':' || colon == p) {
                return into.reject(nameRule(b, p, colon), colon);
            }
            offsets[n + 1] = colon - base;

            int from = colon + 1;
            while (from < stop && Octets.space(b[from])) {
                from++;
            }
            int end = value(b, from, stop);
            if (end == stop) {
                return MORE;
            }
            p = lineEnd(into, b, end, stop);
            if (p < 0) {
                return p;
            }
            while (end > from && Octets.space(b[end - 1])) {
                end--;
            }
            offsets[n + 2] = from - base;
            offsets[n + 3] = end - base;
        }
        return MORE;
    }

    /** The first byte that is not of a token. */
    private static int name(byte[] b, int p, int stop) {
        while (p + 8 <= stop) {
            long mask = Octets.unlikeName(Octets.eight(b, p));
            if (mask != 0) {
                p += Octets.lane(mask);
                break;
            }
            p += 8;
        }
        while (p < stop && TOKEN[b[p] & 0xFF]) {
            p++;
        }
        return p;
    }

    /** The first byte that a field value cannot have: CR, or something worse. */
    private static int value(byte[] b, int p, int stop) {
        while (p + 8 <= stop) {
            long mask = Octets.unprintable(Octets.eight(b, p));
            if (mask == 0) {
                p += 8; // A constant: the next load need not wait for this mask.
                continue;
            }
            p += Octets.lane(mask);
            if (!content(b[p])) {
                return p;
            }
            p++;
        }
        while (p < stop && content(b[p])) {
            p++;
        }
        return p;
    }

    /** Spaces, tabs, visible characters and {@code obs-text}: RFC 9110 5.5. */
    static boolean content(byte c) {
        return c >= 0x20 ? c != 0x7F : c < 0 || c == Octets.TAB;
    }

    /** Past the CRLF that has to stand here. */
    static int lineEnd(Fields into, byte[] b, int p, int stop) {
        if (p + 1 < stop && b[p] == CR && b[p + 1] == LF) {
            return p + 2;
        }
        if (b[p] != CR) {
            return into.reject(
                    b[p] == LF ? RequestError.BARE_LF : RequestError.CONTROL_CHARACTER, p);
        }
        return p + 1 == stop ? MORE : into.reject(RequestError.BARE_CR, p);
    }

    private static RequestError nameRule(byte[] b, int line, int p) {
        if (b[p] == LF) {
            return RequestError.BARE_LF;
        }
        if (Octets.space(b[p])) {
            return p == line ? RequestError.OBSOLETE_FOLD : RequestError.SPACE_BEFORE_COLON;
        }
        return RequestError.BAD_HEADER_NAME;
    }
}

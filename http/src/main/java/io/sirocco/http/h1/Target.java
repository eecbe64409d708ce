// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import io.sirocco.http.RequestError;
import io.sirocco.http.message.Authority;
import io.sirocco.http.message.Octets;
import io.sirocco.http.message.TargetForm;

/**
 * Tells the form of a request target and finds its authority, path and query: RFC 9112 3.2.
 *
 * <pre>
 * origin-form    = absolute-path [ "?" query ]
 * absolute-form  = ( "http" / "https" ) "://" authority [ absolute-path ] [ "?" query ]
 * authority-form = uri-host ":" port           (CONNECT only)
 * asterisk-form  = "*"                         (OPTIONS only)
 * </pre>
 *
 * Any thread.
 */
final class Target {
    private Target() {}

    /** Returns the position behind the space at {@code p}, or {@link Octets#BAD}. */
    public static int read(Head head, byte[] b, int p) {
        int from = head.base + head.targetFrom;
        if (isConnect(head, b)) {
            return authority(head, b, from, p);
        }
        if (b[from] == '/') {
            return path(head, TargetForm.ORIGIN, from, p);
        }
        if (b[from] == '*' && p - from == 1) {
            return asterisk(head, b, from, p);
        }
        return absolute(head, b, from, p);
    }

    private static boolean isConnect(Head head, byte[] b) {
        int from = head.base + head.methodFrom;
        return head.methodTo - head.methodFrom == 7
                && b[from] == 'C'
                && Octets.text(b, from, from + 7).equals("CONNECT");
    }

    private static int path(Head head, TargetForm form, int from, int space) {
        if (head.form != form) {
            head.form = form;
        }
        head.pathFrom = from - head.base;
        head.pathTo = head.queryFrom == 0 ? space - head.base : head.queryFrom - 1;
        return space + 1;
    }

    /** RFC 9110 9.3.6: the port has to be there, a default one has no meaning. */
    private static int authority(Head head, byte[] b, int from, int space) {
        int name = Authority.nameEnd(b, from, space);
        if (name < 0 || space - name < 2) {
            return head.reject(RequestError.BAD_TARGET, from);
        }
        head.host(from, name, space);
        path(head, TargetForm.AUTHORITY, space, space);
        return space + 1;
    }

    private static int asterisk(Head head, byte[] b, int from, int space) {
        String method = Octets.text(b, head.base + head.methodFrom, head.base + head.methodTo);
        return switch (method) {
            case "OPTIONS" -> path(head, TargetForm.ASTERISK, from, space);
            case "PRI" -> head.reject(RequestError.HTTP_2_PREFACE, from);
            default -> head.reject(RequestError.BAD_TARGET, from);
        };
    }

    /**
     * RFC 9110 4.2.1 and 4.2.4: an empty host is invalid, and so is user information, which {@link
     * Authority} has no place for.
     */
    private static int absolute(Head head, byte[] b, int from, int space) {
        int host = from + schemeLength(b, from, space);
        if (host == from) {
            return head.reject(RequestError.BAD_TARGET, from);
        }
        int end = authorityEnd(b, from, space);
        int name = Authority.nameEnd(b, host, end);
        if (name < 0) {
            return head.reject(RequestError.BAD_TARGET, host);
        }
        head.host(host, name, end);
        return path(head, TargetForm.ABSOLUTE, end, space);
    }

    /** Returns where the authority of an absolute form ends; {@code from} if it is none. */
    static int authorityEnd(byte[] b, int from, int to) {
        int end = from + schemeLength(b, from, to);
        while (end > from && end < to && b[end] != '/' && b[end] != '?') {
            end++;
        }
        return end;
    }

    private static int schemeLength(byte[] b, int from, int to) {
        return starts(b, from, to, "http://") ? 7 : starts(b, from, to, "https://") ? 8 : 0;
    }

    private static boolean starts(byte[] b, int from, int to, String lower) {
        int end = from + lower.length();
        return end <= to && Octets.same(b, from, end, lower);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

/**
 * What the head of an answer says about where the answer ends, RFC 9112 6.3, and whether the
 * connection goes on, 9.3. While it is not all there, it is read from its beginning each time.
 * Allocates nothing. It keeps no fields and forgives what servers in a race get wrong (lines that
 * end with LF alone, equal lengths twice, a length beside a coding), where the strict head of the
 * client in {@code http} indexes each field and refuses such answers. Loop-confined.
 */
final class AnswerHead {
    /** Longer ones are taken for something else than HTTP. */
    static final int MAX = 64 << 10;

    private static final String START = "HTTP/1.# ###"; // # is a digit
    private static final byte CR = '\r';
    private static final byte LF = '\n';

    private boolean malformed;
    private int minor;
    private int status;
    private long length; // of the body; -1 when that is not said
    private boolean coded;
    private boolean chunked; // is the last coding
    private boolean close;
    private boolean keepAlive;

    /**
     * Returns where the head that begins at {@code from} ends; -1 if malformed, or not all there.
     */
    int read(byte[] b, int from, int to) {
        begin();
        malformed = !startsAsItShould(b, from, Math.min(to - from, START.length()));
        if (malformed || to - from <= START.length()) {
            return -1;
        }
        statusLine(b, from);
        int line = from;
        int last = Math.min(to, from + MAX);
        for (int p = from + START.length(); p < last && !malformed; p++) {
            if (b[p] != LF) {
                continue;
            }
            int lineEnd = b[p - 1] == CR ? p - 1 : p;
            if (lineEnd == line) {
                return p + 1;
            }
            if (line > from) {
                field(b, line, lineEnd);
            }
            line = p + 1;
        }
        malformed |= to - from >= MAX;
        return -1;
    }

    boolean malformed() {
        return malformed;
    }

    int status() {
        return status;
    }

    /** Bytes of the body; -1 when that is not said. */
    long length() {
        return length;
    }

    /** Whether the body has a coding, which comes before a length. */
    boolean coded() {
        return coded;
    }

    /** Whether chunks tell where the body ends. */
    boolean chunked() {
        return chunked;
    }

    /** Whether the connection may be used again, if the answer has an end of its own. */
    boolean lasting() {
        boolean trusted = minor > 0 || keepAlive && !coded; // RFC 9112 6.1
        return trusted && !close;
    }

    private void begin() {
        length = -1;
        coded = false;
        chunked = false;
        close = false;
        keepAlive = false;
    }

    private static boolean startsAsItShould(byte[] b, int from, int count) {
        for (int i = 0; i < count; i++) {
            int c = b[from + i];
            char expected = START.charAt(i);
            if (expected == '#' ? c < '0' || c > '9' : c != expected) {
                return false;
            }
        }
        return true;
    }

    private void statusLine(byte[] b, int from) {
        minor = b[from + 7] - '0';
        status = 100 * (b[from + 9] - '0') + 10 * (b[from + 10] - '0') + b[from + 11] - '0';
        byte next = b[from + START.length()];
        malformed = status < 100 || next != ' ' && next != CR && next != LF;
    }

    private void field(byte[] b, int from, int to) {
        switch (b[from] | 0x20) {
            case 'c' -> {
                if (begins(b, from, to, "content-length:")) {
                    contentLength(b, from + 15, to);
                } else if (begins(b, from, to, "connection:")) {
                    connection(b, from + 11, to);
                }
            }
            case 't' -> {
                if (begins(b, from, to, "transfer-encoding:")) {
                    coded = true;
                    chunked = is(b, lastElement(b, from + 18, to), to, "chunked");
                }
            }
            default -> {}
        }
    }

    private void contentLength(byte[] b, int from, int to) {
        int start = skipBlanks(b, from, to);
        int end = dropBlanks(b, start, to);
        malformed |= start == end || end - start > 18; // which a long has room for
        long value = 0;
        for (int p = start; p < end && !malformed; p++) {
            malformed = b[p] < '0' || b[p] > '9';
            value = value * 10 + b[p] - '0';
        }
        malformed |= length >= 0 && length != value;
        length = value;
    }

    private void connection(byte[] b, int from, int to) {
        for (int start = from; start < to; ) {
            int end = start;
            while (end < to && b[end] != ',') {
                end++;
            }
            close |= is(b, start, end, "close");
            keepAlive |= is(b, start, end, "keep-alive");
            start = end + 1;
        }
    }

    private static int lastElement(byte[] b, int from, int to) {
        int start = to;
        while (start > from && b[start - 1] != ',') {
            start--;
        }
        return start;
    }

    /** Whether that is all there is between blanks. */
    private static boolean is(byte[] b, int from, int to, String lowerCase) {
        int start = skipBlanks(b, from, to);
        int end = dropBlanks(b, start, to);
        return end - start == lowerCase.length() && begins(b, start, end, lowerCase);
    }

    private static int skipBlanks(byte[] b, int from, int to) {
        int p = from;
        while (p < to && (b[p] == ' ' || b[p] == '\t')) {
            p++;
        }
        return p;
    }

    private static int dropBlanks(byte[] b, int from, int to) {
        int p = to;
        while (p > from && (b[p - 1] == ' ' || b[p - 1] == '\t')) {
            p--;
        }
        return p;
    }

    private static boolean begins(byte[] b, int from, int to, String lowerCase) {
        int n = lowerCase.length();
        if (to - from < n) {
            return false;
        }
        for (int i = 0; i < n; i++) {
            int c = b[from + i];
            if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != lowerCase.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.log;

import io.sirocco.net.limit.Ip;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One line of a log while it is made: bytes of ASCII and nothing else, so that what a client sends
 * can neither end the line nor reach the terminal that shows it. Used by one thread at a time.
 */
final class Line {
    /** Characters of one text that are written; a longer one is cut and ends with three dots. */
    static final int LONGEST_TEXT = 2048;

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final String[] MONTHS = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
    };
    private static final boolean[] PLAIN = new boolean[256];

    static {
        Arrays.fill(PLAIN, 0x20, 0x7F, true);
        PLAIN['"'] = false;
        PLAIN['\\'] = false;
    }

    private static final VarHandle EIGHT =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGHS = 0x80 * ONES;

    private byte[] bytes = new byte[768]; // most lines
    private int length;

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    private void room(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }

    /** A text of ours, which needs no escapes. */
    Line put(String ascii) {
        room(ascii.length());
        copy(ascii, ascii.length());
        return this;
    }

    /**
     * The low bytes of {@code n} characters, without a look at them: they are known to be bytes.
     */
    @SuppressWarnings("deprecation") // what is wrong with it is what we want
    private void copy(String text, int n) {
        text.getBytes(0, n, bytes, length);
        length += n;
    }

    Line put(char c) {
        room(1);
        bytes[length++] = (byte) c;
        return this;
    }

    Line number(long value) {
        if (value < 0) {
            return put(Long.toString(value));
        }
        int digits = 1;
        for (long rest = value; rest >= 10; rest /= 10) {
            digits++;
        }
        return padded(value, digits);
    }

    /** With zeros before it. */
    private Line padded(long value, int digits) {
        room(digits);
        for (int i = length + digits - 1; i >= length; i--) {
            bytes[i] = (byte) ('0' + value % 10);
            value /= 10;
        }
        length += digits;
        return this;
    }

    /** Milliseconds with three decimals. */
    Line millis(long nanos) {
        long micros = nanos / 1000;
        return number(micros / 1000).put('.').padded(micros % 1000, 3);
    }

    /**
     * A text of bytes that a client sent, as {@link #json} writes it; mostly there is no escape.
     */
    Line jsonOctets(String octets) {
        int n = octets.length();
        if (n > LONGEST_TEXT) {
            return json(octets);
        }
        int from = length;
        put(octets);
        if (!plain(from, length)) {
            length = from;
            json(octets);
        }
        return this;
    }

    /** Returns whether none of these bytes needs an escape; looks at eight at a time. */
    private boolean plain(int from, int to) {
        int i = from;
        for (; i + 8 <= to; i += 8) {
            long eight = (long) EIGHT.get(bytes, i);
            long control = eight - 0x20 * ONES & ~eight;
            long others = zero(eight ^ '"' * ONES) | zero(eight ^ '\\' * ONES);
            long delete = zero(eight ^ 0x7F * ONES);
            if (((eight | control | others | delete) & HIGHS) != 0) {
                return false;
            }
        }
        for (; i < to; i++) {
            if (!PLAIN[bytes[i] & 0xFF]) {
                return false;
            }
        }
        return true;
    }

    /** Sets the highest bit of the lowest byte that is zero, if any is. */
    private static long zero(long eight) {
        return eight - ONES & ~eight;
    }

    /** A text from outside, as it stands between the quotation marks of JSON (RFC 8259 7). */
    Line json(String text) {
        int n = Math.min(text.length(), LONGEST_TEXT);
        room(6 * n + 3);
        byte[] b = bytes;
        int to = length;
        for (int i = 0; i < n; i++) {
            char c = text.charAt(i);
            if (c < 256 && PLAIN[c]) {
                b[to++] = (byte) c;
            } else if (c == '"' || c == '\\') {
                b[to++] = '\\';
                b[to++] = (byte) c;
            } else {
                b[to++] = '\\';
                b[to++] = 'u';
                b[to++] = HEX[c >> 12];
                b[to++] = HEX[c >> 8 & 15];
                b[to++] = HEX[c >> 4 & 15];
                b[to++] = HEX[c & 15];
            }
        }
        length = to;
        return n < text.length() ? put("...") : this;
    }

    /** A text from outside, as nginx escapes it: what is not plain as {@code \xHH}. */
    Line escaped(String text) {
        int n = Math.min(text.length(), LONGEST_TEXT);
        room(4 * n + 3);
        for (int i = 0; i < n; i++) {
            char c = text.charAt(i);
            if (c < 256 && PLAIN[c]) {
                bytes[length++] = (byte) c;
            } else {
                int octet = c < 256 ? c : '?'; // in the name of a user at most
                bytes[length++] = '\\';
                bytes[length++] = 'x';
                bytes[length++] = HEX[octet >> 4];
                bytes[length++] = HEX[octet & 15];
            }
        }
        return n < text.length() ? put("...") : this;
    }

    /** The peer's address, without its port; {@code unix} for a Unix-domain socket. */
    Line address(SocketAddress remote) {
        InetAddress address = remote instanceof InetSocketAddress inet ? inet.getAddress() : null;
        return switch (address) {
            case Inet4Address four -> four(four.getAddress());
            case Inet6Address six -> put(Ip.text(six));
            case null, default -> put("unix");
        };
    }

    private Line four(byte[] a) {
        number(a[0] & 0xFF).put('.').number(a[1] & 0xFF).put('.');
        return number(a[2] & 0xFF).put('.').number(a[3] & 0xFF);
    }

    /** A moment as {@code 2026-11-22T02:40:38.123Z} (RFC 3339). */
    Line isoTime(long millis) {
        long day = Math.floorDiv(millis, 86_400_000L);
        int inDay = (int) Math.floorMod(millis, 86_400_000L);
        int date = date(day);
        padded(date >> 9, 4).put('-').padded(date >> 5 & 15, 2).put('-').padded(date & 31, 2);
        return put('T').clock(inDay / 1000).put('.').padded(inDay % 1000, 3).put('Z');
    }

    /** A moment as {@code 22/Nov/2026:02:40:38 +0000}. */
    Line commonTime(long millis) {
        long day = Math.floorDiv(millis, 86_400_000L);
        int inDay = (int) Math.floorMod(millis, 86_400_000L);
        int date = date(day);
        padded(date & 31, 2).put('/').put(MONTHS[(date >> 5 & 15) - 1]).put('/');
        return padded(date >> 9, 4).put(':').clock(inDay / 1000).put(" +0000");
    }

    private Line clock(int second) {
        padded(second / 3600, 2).put(':').padded(second / 60 % 60, 2);
        return put(':').padded(second % 60, 2);
    }

    /**
     * The date of a day since 1970, in the Gregorian calendar: year, month and day in 9 + 4 + 5
     * bits. Years begin with March here, so that the leap day is their last one.
     */
    private static int date(long sinceEpoch) {
        long day = sinceEpoch + 719_468; // since 0000-03-01
        long era = Math.floorDiv(day, 146_097L); // of 400 years
        long ofEra = day - era * 146_097;
        long yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365;
        long ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        int fromMarch = (int) (5 * ofYear + 2) / 153;
        int dayOfMonth = (int) (ofYear - (153 * fromMarch + 2) / 5 + 1);
        int month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
        int year = (int) (yearOfEra + era * 400 + (month <= 2 ? 1 : 0));
        return year << 9 | month << 5 | dayOfMonth;
    }
}

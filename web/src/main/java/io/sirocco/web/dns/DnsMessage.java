// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.dns;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Queries and responses of the DNS (RFC 1035 4.1), as far as addresses need them.
 *
 * <pre>
 *   ID · flags · questions · answers · authority · additional     16 bits each
 *   name · type · class                                           each question
 *   name · type · class · TTL (32 bits) · length · data           each record
 * </pre>
 *
 * <p>It owns no socket. Any thread.
 */
final class DnsMessage {
    static final int A = 1;
    static final int AAAA = 28;

    private static final int CNAME = 5;
    private static final int INTERNET = 1;
    private static final int RECURSION_DESIRED = 0x0100;
    private static final int RESPONSE = 0x8000;
    private static final int TRUNCATED = 0x0200;
    private static final int HEADER = 12;
    private static final int LONGEST_NAME = 255; // RFC 1035 2.3.4
    private static final int LONGEST_LABEL = 63;
    private static final int MAX_ALIASES = 16;

    /** What a response says of a name. */
    sealed interface Answer {
        /** The addresses, at least one, and the least time to live of all records, in seconds. */
        record Found(List<InetAddress> addresses, long seconds) implements Answer {}

        /** The name does not exist, or has no such address. */
        record None() implements Answer {}

        /** The response has to be asked for over TCP. */
        record Truncated() implements Answer {}

        /** The server cannot say; {@code code} is RCODE. */
        record Failed(int code) implements Answer {}

        /** It is the response to another query. */
        record Other() implements Answer {}
    }

    private record Resource(String name, int type, long seconds, int from, int length) {}

    private DnsMessage() {}

    /**
     * Returns the query for the addresses of a name.
     *
     * @throws IOException if it is not a name of the DNS
     */
    static byte[] query(int id, String name, int type) throws IOException {
        var out = new ByteArrayOutputStream();
        for (int number : new int[] {id, RECURSION_DESIRED, 1, 0, 0, 0}) {
            put(out, number);
        }
        String bare = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        for (String label : bare.split("\\.", -1)) {
            byte[] bytes = label.getBytes(ISO_8859_1);
            if (bytes.length == 0 || bytes.length > LONGEST_LABEL) {
                throw new IOException("\"" + name + "\" is not a name of the DNS");
            }
            out.write(bytes.length);
            out.writeBytes(bytes);
        }
        out.write(0);
        if (out.size() - HEADER > LONGEST_NAME) {
            throw new IOException("\"" + name + "\" is too long for the DNS");
        }
        put(out, type);
        put(out, INTERNET);
        return out.toByteArray();
    }

    private static void put(ByteArrayOutputStream out, int number) {
        out.write(number >> 8);
        out.write(number);
    }

    /**
     * Reads the response to a query.
     *
     * @throws IOException if it is malformed
     */
    static Answer read(byte[] query, byte[] response, int length) throws IOException {
        var in = ByteBuffer.wrap(response, 0, length);
        int question = query.length;
        if (length < HEADER
                || in.getShort(0) != ByteBuffer.wrap(query).getShort(0)
                || (in.getShort(2) & RESPONSE) == 0) {
            return new Answer.Other();
        }
        int flags = in.getShort(2);
        int code = flags & 0xf;
        if (in.getShort(4) == 1 && !sameQuestion(query, response, length)) {
            return new Answer.Other();
        }
        if (code == 3) { // NXDOMAIN
            return new Answer.None();
        }
        if (code != 0) {
            return new Answer.Failed(code);
        }
        if ((flags & TRUNCATED) != 0) {
            return new Answer.Truncated();
        }
        if (in.getShort(4) != 1) {
            throw malformed();
        }
        try {
            int type = ByteBuffer.wrap(query).getShort(question - 4);
            var names = ByteBuffer.wrap(query);
            names.position(HEADER);
            return answer(in, question, name(names), type);
        } catch (IndexOutOfBoundsException
                | BufferUnderflowException
                | IllegalArgumentException e) { // of positions behind the end
            throw malformed();
        }
    }

    private static IOException malformed() {
        return new IOException("the response of the name server is malformed");
    }

    /** Names are compared without case (RFC 4343). */
    private static boolean sameQuestion(byte[] query, byte[] response, int length) {
        return length >= query.length
                && new String(query, HEADER, query.length - HEADER, ISO_8859_1)
                        .equalsIgnoreCase(
                                new String(response, HEADER, query.length - HEADER, ISO_8859_1));
    }

    private static Answer answer(ByteBuffer in, int from, String asked, int type)
            throws IOException {
        int count = in.getShort(6) & 0xffff;
        in.position(from);
        var records = new ArrayList<Resource>();
        for (int i = 0; i < count; i++) {
            String name = name(in);
            int kind = in.getShort() & 0xffff;
            int category = in.getShort() & 0xffff;
            long seconds = in.getInt();
            int length = in.getShort() & 0xffff;
            int at = in.position();
            in.position(at + length);
            if (category == INTERNET) { // RFC 2181 8: a negative time to live is zero
                records.add(new Resource(name, kind, Math.max(0, seconds), at, length));
            }
        }
        return follow(in, records, asked, type);
    }

    /** Follows the aliases of the name, a few: each step looks at all records. */
    private static Answer follow(ByteBuffer in, List<Resource> records, String asked, int type)
            throws IOException {
        var addresses = new ArrayList<InetAddress>();
        long least = Long.MAX_VALUE;
        String name = asked;
        for (int alias = 0; alias <= MAX_ALIASES; alias++) {
            String next = null;
            for (Resource each : records) {
                if (!each.name.equals(name)) {
                    continue;
                }
                if (each.type == type && each.length == (type == A ? 4 : 16)) {
                    byte[] bytes =
                            Arrays.copyOfRange(in.array(), each.from, each.from + each.length);
                    addresses.add(InetAddress.getByAddress(bytes));
                    least = Math.min(least, each.seconds);
                } else if (each.type == CNAME && next == null) {
                    var data = in.duplicate().position(each.from);
                    next = name(data);
                    least = Math.min(least, each.seconds);
                }
            }
            if (!addresses.isEmpty() || next == null) {
                break;
            }
            name = next;
        }
        return addresses.isEmpty()
                ? new Answer.None()
                : new Answer.Found(List.copyOf(addresses), least);
    }

    /** Reads a name, in lower case; a pointer leads to an earlier byte (RFC 1035 4.1.4). */
    private static String name(ByteBuffer in) throws IOException {
        var name = new StringBuilder();
        int end = -1; // behind the first pointer
        int before = in.position();
        while (true) {
            int length = in.get() & 0xff;
            if (length == 0) {
                break;
            }
            if (length > LONGEST_LABEL) {
                int to = (length & 0x3f) << 8 | in.get() & 0xff;
                if (length < 0xc0 || to >= before) {
                    throw malformed();
                }
                end = end < 0 ? in.position() : end;
                before = to;
                in.position(to);
                continue;
            }
            byte[] label = new byte[length];
            in.get(label);
            name.append(new String(label, ISO_8859_1).toLowerCase(Locale.ROOT)).append('.');
            if (name.length() > LONGEST_NAME) {
                throw malformed();
            }
        }
        if (end >= 0) {
            in.position(end);
        }
        return name.toString();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The binary form of what is kept in the server: numbers of 7 bits a byte, the lowest first; texts
 * (UTF-8) and bytes with their length before them; lists with their number.
 */
final class Form {
    private Form() {}

    /** Writes. Used by one thread. */
    static final class Writer {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream(256);

        Writer number(int value) {
            int rest = value;
            while ((rest & ~0x7F) != 0) {
                out.write(rest & 0x7F | 0x80);
                rest >>>= 7;
            }
            out.write(rest);
            return this;
        }

        Writer bytes(byte[] bytes) {
            number(bytes.length);
            out.writeBytes(bytes);
            return this;
        }

        Writer text(String text) {
            return bytes(text.getBytes(UTF_8));
        }

        Writer texts(Collection<String> texts) {
            number(texts.size());
            texts.forEach(this::text);
            return this;
        }

        byte[] done() {
            return out.toByteArray();
        }
    }

    /** Something is not in this form. */
    static final class Malformed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Malformed(String message) {
            super(message);
        }
    }

    /** Reads. Used by one thread. */
    static final class Reader {
        private final ByteBuffer in;

        Reader(byte[] bytes) {
            this.in = ByteBuffer.wrap(bytes);
        }

        int number() {
            try {
                int value = 0;
                for (int shift = 0; shift < 35; shift += 7) {
                    int next = in.get();
                    value |= (next & 0x7F) << shift;
                    if (next >= 0) {
                        return value;
                    }
                }
            } catch (BufferUnderflowException e) {
                throw new Malformed("it ends within a number");
            }
            throw new Malformed("a number is too long");
        }

        byte[] bytes() {
            byte[] bytes = new byte[length()];
            in.get(bytes);
            return bytes;
        }

        String text() {
            int length = length();
            String text = new String(in.array(), in.position(), length, UTF_8);
            in.position(in.position() + length);
            return text;
        }

        List<String> texts() {
            int size = length(); // each takes a byte at least
            List<String> texts = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                texts.add(text());
            }
            return texts;
        }

        boolean hasMore() {
            return in.hasRemaining();
        }

        /** A number of bytes, or of things that have some, that are there. */
        int length() {
            int length = number();
            if (length < 0 || length > in.remaining()) {
                throw new Malformed("it is shorter than it says");
            }
            return length;
        }
    }
}

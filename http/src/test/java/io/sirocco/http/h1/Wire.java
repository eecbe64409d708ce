// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import java.nio.charset.StandardCharsets;

/** Bytes on the wire as text that can be read, and back. */
final class Wire {

    private Wire() {}

    /**
     * The bytes of a text block. Its lines end with CRLF; the signs ␍ ␊ ␀ stand for the one byte
     * alone, and other characters for their ISO-8859-1 byte.
     */
    static byte[] wire(String block) {
        return block.replace("\n", "\r\n")
                .replace('␍', '\r')
                .replace('␊', '\n')
                .replace('␀', '\0')
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** The bytes as one line of a Java string literal. */
    static String escaped(byte[] bytes) {
        StringBuilder line = new StringBuilder();
        for (byte b : bytes) {
            switch (b) {
                case '\r' -> line.append("\\r");
                case '\n' -> line.append("\\n");
                case '"' -> line.append("\\\"");
                case '\\' -> line.append("\\\\");
                default -> {
                    if (b >= 0x20 && b < 0x7F) {
                        line.append((char) b);
                    } else {
                        line.append(String.format("\\u%04x", b & 0xFF));
                    }
                }
            }
        }
        return line.toString();
    }
}

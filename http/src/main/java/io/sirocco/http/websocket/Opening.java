// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** Keys of the opening handshake (RFC 6455 4). Any thread. */
public final class Opening {
    /** The supported version of the protocol. */
    public static final String VERSION = "13";

    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private Opening() {}

    /** Returns whether the key is 16 bytes in base64. */
    public static boolean isKey(String key) {
        if (key.length() != 24 || !key.endsWith("==")) {
            return false;
        }
        for (int i = 0; i < 22; i++) {
            char c = key.charAt(i);
            boolean fits =
                    c >= 'A' && c <= 'Z'
                            || c >= 'a' && c <= 'z'
                            || c >= '0' && c <= '9'
                            || c == '+'
                            || c == '/';
            if (!fits) {
                return false;
            }
        }
        return true;
    }

    /** Returns {@code Sec-WebSocket-Accept} for a {@code Sec-WebSocket-Key}. */
    public static String accept(String key) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            return Base64.getEncoder()
                    .encodeToString(sha1.digest((key + GUID).getBytes(ISO_8859_1)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-1", e);
        }
    }
}

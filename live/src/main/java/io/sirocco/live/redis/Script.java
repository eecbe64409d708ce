// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * What the server runs for us, each as one step that nobody sees half of. The sources are the
 * resources beside this class; each of them says what its arguments are. Immutable.
 */
enum Script {
    PUBLISH,
    WRITTEN,
    ATTACH,
    HISTORY,
    PAGE,
    JOIN,
    LEAVE,
    BEAT,
    BYE,
    TAKE,
    KEEP,
    CHANGE,
    RENEW,
    FORGET,
    SPEND,
    BUCKET,
    SILENCE;

    private final byte[] source;
    private final byte[] digest;

    Script() {
        String own = resource(name().toLowerCase(Locale.ROOT));
        this.source = (resource("prelude") + own).getBytes(UTF_8);
        this.digest = sha1(source);
    }

    byte[] source() {
        return source;
    }

    /** The name by which the server knows it. */
    byte[] digest() {
        return digest;
    }

    private static String resource(String name) {
        try (InputStream in = Script.class.getResourceAsStream(name + ".lua")) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] sha1(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(bytes);
            return HexFormat.of().formatHex(digest).getBytes(UTF_8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // each JDK has it
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.app.pokerface.Tool;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;

/**
 * An application that signs JSON Web Tokens with openssl and knows nothing of our libraries. Used
 * by one thread.
 *
 * @param folder where keys lie, NAME.key and the public NAME.pem
 */
record OpenSslTokens(Path folder) {
    private static final int HALF = 32; // of a signature by P-256

    /** Makes a pair of keys; the test is skipped where there is no openssl. */
    OpenSslTokens pair(String name, String algorithm, String option) throws Exception {
        openssl("genpkey -algorithm %s -pkeyopt %s -out %s.key".formatted(algorithm, option, name));
        openssl("pkey -in %1$s.key -pubout -out %1$s.pem".formatted(name));
        return this;
    }

    OpenSslTokens rsa(String name) throws Exception {
        return pair(name, "RSA", "rsa_keygen_bits:2048");
    }

    OpenSslTokens ec(String name) throws Exception {
        return pair(name, "EC", "ec_paramgen_curve:P-256");
    }

    void openssl(String arguments) throws Exception {
        Tool.OPENSSL.does(folder, arguments.split(" "));
    }

    /** Signed by HMAC with SHA-256. */
    String hs256(String secret, String claims) throws Exception {
        StringBuilder key = new StringBuilder();
        for (byte each : secret.getBytes(UTF_8)) {
            key.append("%02x".formatted(each));
        }
        return token("HS256", claims, "-mac HMAC -macopt hexkey:" + key);
    }

    /** Signed with this key of RSA. */
    String rs256(String name, String claims) throws Exception {
        return token("RS256", claims, "-sign " + name + ".key");
    }

    /** Signed with this key of P-256. */
    String es256(String name, String claims) throws Exception {
        return token("ES256", claims, "-sign " + name + ".key");
    }

    private String token(String algorithm, String claims, String how) throws Exception {
        String said = unsigned(algorithm, claims);
        Files.writeString(folder.resolve("said"), said);
        openssl("dgst -sha256 %s -binary -out signature said".formatted(how));
        byte[] signature = Files.readAllBytes(folder.resolve("signature"));
        return said + "." + base64(algorithm.equals("ES256") ? halves(signature) : signature);
    }

    /** The two parts that a signature is made for. */
    static String unsigned(String algorithm, String claims) {
        String header = "{\"typ\":\"JWT\",\"alg\":\"" + algorithm + "\"}";
        return base64(header.getBytes(UTF_8)) + "." + base64(claims.getBytes(UTF_8));
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** A SEQUENCE of two INTEGERs, as RFC 7518 3.4 has them: 32 bytes each. */
    private static byte[] halves(byte[] der) throws IOException {
        ByteBuffer from = ByteBuffer.wrap(der, 2, der.length - 2);
        var to = ByteBuffer.allocate(2 * HALF);
        for (int i = 0; i < 2; i++) {
            if (from.get() != 2) {
                throw new IOException("no INTEGER");
            }
            byte[] number = new byte[from.get()];
            from.get(number);
            byte[] plain = new BigInteger(number).toByteArray();
            int sign = plain.length > HALF ? 1 : 0;
            to.position(i * HALF + HALF - plain.length + sign);
            to.put(plain, sign, plain.length - sign);
        }
        return to.array();
    }
}

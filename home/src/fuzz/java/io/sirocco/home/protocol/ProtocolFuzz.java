// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.protocol;

import java.util.Arrays;

/**
 * Any bytes as a datagram: no parser throws, a message that was read is written and read again as
 * the same, and what is encrypted is decrypted.
 */
public final class ProtocolFuzz {
    private static final CluCipher CIPHER = new CluCipher(CipherKey.BROADCAST);

    private ProtocolFuzz() {}

    /** Called by Jazzer for each input. */
    public static void fuzzerTestOneInput(byte[] data) {
        byte[] before = data.clone();
        var writer = new DatagramWriter();
        Request request = RequestParser.parse(data, data.length);
        if (!(request instanceof Request.Unknown || request instanceof Request.Malformed)) {
            int length = writer.write(request);
            check(request, RequestParser.parse(writer.bytes(), length));
        }
        Response response = ResponseParser.parse(data, data.length);
        if (!(response instanceof Response.Unknown)) {
            int length = writer.write(response);
            check(response, ResponseParser.parse(writer.bytes(), length));
        }
        byte[] plain = new byte[data.length];
        int length = CIPHER.decrypt(data, 0, data.length, plain);
        if (length >= 0) {
            RequestParser.parse(plain, length);
            ResponseParser.parse(plain, length);
            byte[] again = new byte[data.length];
            CIPHER.encrypt(plain, 0, length, again);
            check(Bytes.of(data), Bytes.of(again));
        }
        byte[] sent = new byte[CluCipher.encryptedLength(data.length)];
        CIPHER.encrypt(data, 0, data.length, sent);
        byte[] received = new byte[sent.length];
        int decrypted = CIPHER.decrypt(sent, 0, sent.length, received);
        check(Bytes.of(data), Bytes.of(Arrays.copyOf(received, Math.max(0, decrypted))));
        check(Bytes.of(before), Bytes.of(data));
    }

    private static void check(Object expected, Object actual) {
        if (!expected.equals(actual)) {
            throw new AssertionError(expected + " has become " + actual);
        }
    }
}

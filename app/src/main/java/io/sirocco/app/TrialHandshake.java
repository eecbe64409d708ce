// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.net.TlsEngine;
import io.sirocco.net.TlsEngines;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * The first half of a handshake, in memory: an engine gets the {@code ClientHello} of a usual
 * client and has to respond with its certificate and signature, the part that depends on the
 * machine. Any thread.
 */
final class TrialHandshake {
    private static final int HANDSHAKE = 22; // the type of a record, RFC 8446 5.1
    private static final int RECORD = 18 << 10;

    /** Extensions, RFC 8446 4.2: versions 1.3 and 1.2, groups, signatures, a share of X25519. */
    private static final String EXTENSIONS =
            "002b0005"
                    + "0403040303"
                    + "000a0006"
                    + "0004001d0017"
                    + "000b0002"
                    + "0100"
                    + "000d0016"
                    + "0014"
                    + "0403050306030804080508060401050106010807"
                    + "00330026"
                    + "0024001d0020"
                    + "09"
                    + "00".repeat(31)
                    + "ff010001"
                    + "00";

    private static final String SUITES = "130113021303c02bc02fc02cc030cca9cca8";

    private TrialHandshake() {}

    /**
     * Tries an engine.
     *
     * @throws IllegalArgumentException if it does not respond as it should
     */
    static void of(TlsEngines engines) {
        TlsEngine engine = engines.engine(List.of());
        try {
            engine.unwrap(ByteBuffer.wrap(hello()), ByteBuffer.allocate(RECORD));
            for (Runnable task = engine.task(); task != null; task = engine.task()) task.run();
            ByteBuffer sealed = ByteBuffer.allocate(RECORD);
            engine.wrap(new ByteBuffer[0], 0, sealed);
            if (sealed.position() == 0 || sealed.get(0) != HANDSHAKE) {
                throw new IllegalArgumentException("it refuses a trial handshake");
            }
        } catch (SSLException e) {
            throw new IllegalArgumentException("a trial handshake fails: " + e.getMessage(), e);
        } finally {
            engine.release();
        }
    }

    private static byte[] hello() {
        String body =
                "0303"
                        + "5a".repeat(32) // random
                        + "00" // no session
                        + counted(4, SUITES)
                        + "0100" // no compression
                        + counted(4, EXTENSIONS);
        String message = "01" + counted(6, body);
        return HexFormat.of().parseHex("160301" + counted(4, message));
    }

    /** Puts the length in bytes, with so many digits, before hexadecimal text. */
    private static String counted(int digits, String hex) {
        return HexFormat.of().toHexDigits(hex.length() / 2, digits) + hex;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.Certificates.Pair;
import io.sirocco.testkit.OnEachTransport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/**
 * A peer that breaks the rules of TLS is told so by a fatal alert, not only by the end of the
 * connection (RFC 8446 6.2).
 */
@OnEachTransport
class TlsAlertsTest {
    private static final int RECORD_OVERFLOW = 22;
    private static final int MISSING_EXTENSION = 109;

    @Parameter TransportKind transport;
    private final Pair a = TlsFiles.get().pair("a", "EC", "a.test", "localhost");
    private Rig rig;

    @BeforeEach
    void start() {
        rig = new Rig(transport);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    /** Whose engines are tested: a module with others runs the same tests over them. */
    Optional<TlsEngines.Kind> engines() {
        return Optional.empty();
    }

    private Listener listen(Acceptor acceptor) throws IOException {
        Tls tls =
                Tls.of(
                        s -> {
                            s.certificate(a.chain(), a.key());
                            engines().ifPresent(s::engines);
                        });
        return rig.listen(options -> options.tls(tls), acceptor);
    }

    private static byte[] oversized(int type, int length) {
        var record = new byte[5 + length];
        record[0] = (byte) type;
        record[1] = 3;
        record[2] = 3;
        record[3] = (byte) (length >> 8);
        record[4] = (byte) length;
        return record;
    }

    @Test
    void aRecordThatIsTooLong() throws Exception {
        for (String version : List.of("TLSv1.2", "TLSv1.3")) {
            for (int length : new int[] {(16 << 10) + 257, 20_000, 40_000, 65_535}) {
                for (boolean whole : new boolean[] {false, true}) {
                    var probe = new Probe();
                    try (var peer = TlsPeer.to(listen(probe), version)) {
                        byte[] record = oversized(23, length);
                        peer.shakeHands().sendRaw(whole ? record : Arrays.copyOf(record, 9));
                        var failure = assertThrows(SSLException.class, () -> peer.read(1));
                        assertTrue(
                                failure.getMessage().contains("fatal alert"),
                                version + " " + length + ": " + failure.getMessage());
                        peer.hangUp();
                    }
                    assertEquals(CloseCause.TLS_FAILED, Rig.get(probe.closed));
                }
            }
        }
    }

    @Test
    void aTamperedRecordWithOthersBehindIt() throws Exception {
        for (String version : List.of("TLSv1.2", "TLSv1.3")) {
            var probe = new Probe();
            try (var peer = TlsPeer.to(listen(probe), version)) {
                peer.shakeHands().send("first");
                byte[] record = peer.record(ByteBuffer.wrap(new byte[16_000]));
                record[record.length / 2] ^= 1;
                byte[] next = peer.record(ByteBuffer.wrap(new byte[16_000]));
                byte[] both = Arrays.copyOf(record, record.length + next.length);
                System.arraycopy(next, 0, both, record.length, next.length);
                peer.sendRaw(both);
                var failure = assertThrows(SSLException.class, () -> peer.read(1));
                assertTrue(failure.getMessage().contains("bad_record_mac"), failure::getMessage);
                peer.hangUp();
            }
            assertEquals(CloseCause.TLS_FAILED, Rig.get(probe.closed));
            assertEquals("first", probe.input());
        }
    }

    @Test
    void aFirstRecordThatIsTooLong() throws Exception {
        Listener listener = listen(new Probe());
        for (int length : new int[] {(16 << 10) + 257, 65_535}) {
            try (Peer peer = rig.connect(listener)) {
                peer.send(oversized(22, length), 0, 9);
                assertAlert(peer.readAll(), RECORD_OVERFLOW);
            }
        }
    }

    @Test
    void aFirstRecordThatIsNone() throws Exception {
        Listener listener = listen(new Probe());
        for (byte[] garbage :
                List.of(
                        new byte[] {0, 0, 0, 0, 0},
                        new byte[] {23, 3, 3, 0, 1, 7},
                        new byte[] {22, 3, 1, 0, 2, 1, 0, 9, 1, 1, 1, 1})) {
            try (Peer peer = rig.connect(listener).send(garbage)) {
                peer.end();
                assertAlert(peer.readAll(), 0);
            }
        }
    }

    @Test
    void aClientWithoutGroups() throws Exception {
        Listener listener = listen(new Probe());
        try (Peer peer = rig.connect(listener).send(hello(true, false))) {
            assertAlert(peer.readAll(), MISSING_EXTENSION);
        }
    }

    /** It supports what the server chooses (RFC 8422 4). */
    @Test
    void aClientOfTls12WithoutGroups() throws Exception {
        Listener listener = listen(new Probe());
        try (Peer peer = rig.connect(listener).send(hello(false, false))) {
            byte[] first = peer.read(6);
            if (first[0] == 21) {
                assertEquals(2, first[5], "fatal");
            } else {
                assertEquals(22, first[0], "a handshake record");
                assertEquals(2, first[5], "ServerHello");
            }
        }
    }

    /** The stream ends with this fatal alert, in plain text; {@code 0} for any. */
    private static void assertAlert(byte[] stream, int alert) {
        assertTrue(stream.length >= 7, "no alert: " + Arrays.toString(stream));
        byte[] last = Arrays.copyOfRange(stream, stream.length - 7, stream.length);
        assertEquals(21, last[0], () -> "alert: " + Arrays.toString(stream));
        assertEquals(2, last[5], () -> "fatal: " + Arrays.toString(stream));
        assertTrue(alert == 0 || alert == last[6], () -> "code: " + Arrays.toString(stream));
    }

    /** A ClientHello (RFC 8446 4.1.2), for TLS 1.3 and 1.2 or for 1.2 alone. */
    private static byte[] hello(boolean modern, boolean groups) {
        var extensions = new ByteArrayOutputStream();
        put(extensions, 13, 0, 4, 4, 3, 8, 4); // ecdsa_secp256r1_sha256, rsa_pss_rsae_sha256
        if (modern) {
            put(extensions, 43, 4, 3, 4, 3, 3); // supported_versions
        }
        if (groups) {
            put(extensions, 10, 0, 2, 0, 23);
        }
        var body = new ByteArrayOutputStream();
        body.writeBytes(new byte[] {3, 3});
        body.writeBytes(new byte[32]);
        body.write(0); // session
        body.writeBytes(new byte[] {0, 6, 0x13, 1, (byte) 0xC0, 0x2B, (byte) 0xC0, 0x2F, 1, 0});
        body.write(extensions.size() >> 8);
        body.write(extensions.size());
        body.writeBytes(extensions.toByteArray());
        var record = new ByteArrayOutputStream();
        int length = body.size();
        record.writeBytes(new byte[] {22, 3, 1, (byte) (length + 4 >> 8), (byte) (length + 4)});
        record.writeBytes(new byte[] {1, 0, (byte) (length >> 8), (byte) length});
        record.writeBytes(body.toByteArray());
        return record.toByteArray();
    }

    private static void put(ByteArrayOutputStream into, int type, int... content) {
        into.write(0);
        into.write(type);
        into.write(0);
        into.write(content.length);
        for (int b : content) {
            into.write(b);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sirocco.home.KeyRing.Kind;
import io.sirocco.home.protocol.Bytes;
import io.sirocco.home.protocol.Challenge;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.protocol.Request;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyRingTest {
    private static final String PIN = "00000000";

    private final Random random = new Random(1);
    private final CipherKey project = CipherKey.random(random);
    private final KeyRing ring = new KeyRing(new KeyFile.Content(project, PIN, true), random);

    @Test
    void onlyTheProjectKeyOpensAtTheStart() {
        assertEquals(Kind.PROJECT, unicast(reset(project)).key().kind());
        assertNull(unicast(reset(CipherKey.BROADCAST)));
        assertEquals(Kind.BROADCAST, broadcast(reset(CipherKey.BROADCAST)).key().kind());
    }

    @Test
    void theTemporaryKeyOpensAfterADiscoveryUntilAReset() {
        CipherKey temporary = CipherKey.initial(PIN, ring.armTemporaryKey());
        assertEquals(Kind.TEMPORARY, unicast(reset(temporary)).key().kind());
        assertEquals(Kind.PROJECT, unicast(reset(project)).key().kind());
        ring.reset();
        assertNull(unicast(reset(temporary)));
        assertEquals(
                temporary,
                CipherKey.initial(PIN, ring.armTemporaryKey()),
                "it stays until a new key is set");
        assertEquals(Kind.TEMPORARY, unicast(reset(temporary)).key().kind());
    }

    @Test
    void aNewKeyEndsTheOldOneAndTheTemporaryOne() {
        CipherKey temporary = CipherKey.initial(PIN, ring.armTemporaryKey());
        CipherKey next = CipherKey.random(random);
        ring.setProjectKey(next);
        assertNull(unicast(reset(temporary)));
        assertNull(unicast(reset(project)));
        assertEquals(Kind.PROJECT, unicast(reset(next)).key().kind());
    }

    @Test
    void aControllerProvesThatItKnowsTheKeyOfItsProject() {
        Bytes iv = ring.armTemporaryKey();
        byte[] challenge = Challenge.random(random);
        Bytes expected = Challenge.proof(challenge, CipherKey.initial(PIN, iv));
        assertEquals(expected, ring.prove(Challenge.encrypt(challenge, project)));
    }

    /** A wrong key passes the check of the padding once in 256 times. */
    @Test
    void aRequestIsFoundUnderWhicheverKeyItIsOne() {
        CipherKey temporary = CipherKey.initial(PIN, ring.armTemporaryKey());
        for (int i = 0; i < 10_000; i++) {
            byte[] sealed =
                    CluRig.seal(
                            temporary, new Request.Lua(host(), random.nextInt(), "checkAlive()"));
            KeyRing.DecryptedRequest opened = unicast(sealed);
            assertEquals(Kind.TEMPORARY, opened.key().kind());
            assertInstanceOf(Request.Lua.class, opened.request());
        }
    }

    private KeyRing.DecryptedRequest unicast(byte[] bytes) {
        return ring.openUnicast(bytes, bytes.length);
    }

    private KeyRing.DecryptedRequest broadcast(byte[] bytes) {
        return ring.openBroadcast(bytes, bytes.length);
    }

    private static byte[] reset(CipherKey key) {
        return CluRig.seal(key, new Request.Reset(host()));
    }

    private static Inet4Address host() {
        return (Inet4Address) InetAddress.ofLiteral("10.72.144.72");
    }
}

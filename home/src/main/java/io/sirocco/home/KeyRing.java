// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.protocol.Bytes;
import io.sirocco.home.protocol.Challenge;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.protocol.CluCipher;
import io.sirocco.home.protocol.Request;
import io.sirocco.home.protocol.RequestParser;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The keys under which a controller accepts requests.
 *
 * <pre>
 *                  unicast socket            broadcast socket
 *   start          project                   broadcast, project
 *   discovery      project, temporary        broadcast, project, temporary
 *   new key        new project               broadcast, new project
 *   reset          project                   as before
 * </pre>
 *
 * The temporary key is derived from the PIN; its initialization vector is in the response to a
 * discovery. Used by one thread.
 */
final class KeyRing {
    private static final Request UNKNOWN = new Request.Unknown();

    private final RandomGenerator random;
    private final Key broadcast = new Key(Kind.BROADCAST, CipherKey.BROADCAST);
    private final String pin;
    private CipherKey projectKey;
    private Key project;
    private Bytes cluIv; // null before the first discovery, and after a new key
    private Key temporary; // null while it is not armed
    private boolean onUnicast; // whether the unicast socket takes the temporary key
    private byte[] plaintext = new byte[2_048];

    /** A kind of keys, and so of rights. */
    enum Kind {
        PROJECT,
        TEMPORARY,
        BROADCAST
    }

    /** A key with its cipher. Used by one thread. */
    record Key(Kind kind, CluCipher cipher) {
        Key(Kind kind, CipherKey key) {
            this(kind, new CluCipher(key));
        }
    }

    /**
     * A datagram that some key decrypts.
     *
     * @param request unknown if the plaintext is no request under any key that decrypts it
     */
    record DecryptedRequest(Key key, Request request) {}

    KeyRing(KeyFile.Content content, RandomGenerator random) {
        this.random = random;
        this.pin = content.pin();
        setProjectKey(content.key());
    }

    /** Decrypts a datagram to the controller's own address; returns null if no key does. */
    DecryptedRequest openUnicast(byte[] bytes, int length) {
        return open(bytes, length, onUnicast ? List.of(project, temporary) : List.of(project));
    }

    /** Decrypts a broadcast; returns null if no key does. */
    DecryptedRequest openBroadcast(byte[] bytes, int length) {
        return open(
                bytes,
                length,
                temporary == null
                        ? List.of(broadcast, project)
                        : List.of(broadcast, project, temporary));
    }

    /** Returns the project key. */
    Key project() {
        return project;
    }

    /** Sets the project key; the old one and the temporary key are no longer accepted. */
    void setProjectKey(CipherKey key) {
        projectKey = key;
        project = new Key(Kind.PROJECT, key);
        cluIv = null;
        temporary = null;
        onUnicast = false;
    }

    /** Accepts the temporary key from now on, and returns its initialization vector. */
    Bytes armTemporaryKey() {
        if (cluIv == null) {
            byte[] fresh = new byte[CipherKey.LENGTH];
            random.nextBytes(fresh);
            cluIv = Bytes.of(fresh);
            temporary = new Key(Kind.TEMPORARY, CipherKey.initial(pin, cluIv));
        }
        onUnicast = true;
        return cluIv;
    }

    /** Returns the proof for a discovery, after {@link #armTemporaryKey}. */
    Bytes prove(Bytes challenge) {
        return Challenge.prove(challenge, projectKey, CipherKey.initial(pin, cluIv), random);
    }

    /** No longer accepts the temporary key at the controller's own address. */
    void reset() {
        onUnicast = false;
    }

    /**
     * Returns the first key whose plaintext is a request: a wrong one passes the check of the
     * padding once in 256 times.
     */
    private DecryptedRequest open(byte[] bytes, int length, List<Key> keys) {
        if (plaintext.length < length) {
            plaintext = new byte[length];
        }
        Key decrypts = null;
        for (Key key : keys) {
            int size = key.cipher.decrypt(bytes, 0, length, plaintext);
            if (size < 0) {
                continue;
            }
            Request request = RequestParser.parse(plaintext, size);
            if (!(request instanceof Request.Unknown)) {
                return new DecryptedRequest(key, request);
            }
            decrypts = decrypts == null ? key : decrypts;
        }
        return decrypts == null ? null : new DecryptedRequest(decrypts, UNKNOWN);
    }
}

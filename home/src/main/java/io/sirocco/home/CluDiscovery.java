// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.protocol.Bytes;
import io.sirocco.home.protocol.Challenge;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.protocol.CluCipher;
import io.sirocco.home.protocol.DatagramWriter;
import io.sirocco.home.protocol.Request;
import io.sirocco.home.protocol.Response;
import io.sirocco.home.protocol.ResponseParser;
import io.sirocco.net.Datagrams;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * Finds the controllers (CLUs) of a network by a broadcast. Each that responds accepts its
 * temporary key from then on, unless it is fortified. Any thread.
 */
public final class CluDiscovery {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Bytes challenge;
    private final byte[] secret;
    private final CipherKey own;
    private final CluCipher cipher; // loop-confined, as those below
    private final Map<Integer, Device> found = new LinkedHashMap<>();
    private final CompletableFuture<List<Device>> result = new CompletableFuture<>();
    private final int limit;
    private byte[] plaintext = new byte[512];

    /**
     * A controller that has responded. Immutable.
     *
     * @param iv of its temporary key
     * @param proof 32 bytes, for {@link #hasProjectKey}
     * @param expected the hash that it should have proved
     */
    public record Device(
            InetSocketAddress address,
            int serial,
            long mac,
            Bytes iv,
            Bytes proof,
            Bytes expected) {
        /** Returns the key under which it accepts a new project key. */
        public CipherKey temporaryKey(String pin) {
            return CipherKey.initial(pin, iv);
        }

        /** Returns whether it has the project key of the client already. */
        public boolean hasProjectKey(String pin) {
            return Challenge.encrypt(expected.toArray(), temporaryKey(pin)).equals(proof);
        }
    }

    private CluDiscovery(CipherKey own, int limit) {
        this.own = own;
        this.limit = limit;
        this.cipher = new CluCipher(CipherKey.grenton(own.iv()));
        this.secret = Challenge.random(RANDOM);
        this.challenge = Challenge.encrypt(secret, own);
    }

    /**
     * Sends a broadcast and collects the responses.
     *
     * @param local the address of this machine on the network, for the request
     * @param to the broadcast address and port: 255.255.255.255, or that of the network
     * @param own the project key of the client
     * @param wait for how long to collect
     * @param limit ends it before when so many have responded
     * @throws IOException if the socket cannot be bound, or the event loop has ended
     */
    public static CompletableFuture<List<Device>> discover(
            Loops loops,
            Inet4Address local,
            InetSocketAddress to,
            CipherKey own,
            Duration wait,
            int limit)
            throws IOException {
        var discovery = new CluDiscovery(own, limit);
        Datagrams socket =
                loops.datagrams(
                        new InetSocketAddress(local, 0),
                        options -> options.broadcast(true),
                        discovery::received);
        try {
            socket.loop()
                    .execute(
                            () -> {
                                discovery.send(socket, local, to);
                                socket.loop().schedule(wait.toMillis(), discovery::end);
                            });
        } catch (RejectedExecutionException e) {
            socket.close();
            throw new IOException("nothing can be sent: " + e.getMessage(), e);
        }
        return discovery.result.whenComplete(
                (devices, failure) -> Thread.ofVirtual().start(socket::close));
    }

    private void send(Datagrams socket, Inet4Address local, InetSocketAddress to) {
        var writer = new DatagramWriter();
        int length = writer.write(new Request.Discovery(challenge, own.iv(), local));
        byte[] sealed = new byte[CluCipher.encryptedLength(length)];
        new CluCipher(CipherKey.BROADCAST).encrypt(writer.bytes(), 0, length, sealed);
        try {
            socket.send(sealed, sealed.length, to);
        } catch (IOException e) {
            result.completeExceptionally(e);
        }
    }

    private void received(Datagrams socket, byte[] bytes, int length, InetSocketAddress from) {
        if (plaintext.length < length) {
            plaintext = new byte[length];
        }
        int size = cipher.decrypt(bytes, 0, length, plaintext);
        if (size >= 0
                && ResponseParser.parse(plaintext, size) instanceof Response.Discovery response) {
            Bytes expected = Bytes.of(Challenge.hash(secret));
            found.put(
                    response.serial(),
                    new Device(
                            from,
                            response.serial(),
                            response.mac(),
                            response.iv(),
                            response.proof(),
                            expected));
            if (found.size() >= limit) {
                end();
            }
        }
    }

    private void end() {
        result.complete(List.copyOf(found.values()));
    }
}

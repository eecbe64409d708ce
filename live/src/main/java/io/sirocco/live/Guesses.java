// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.Request;
import io.sirocco.net.Clock;
import io.sirocco.net.limit.GuessLimit;
import io.sirocco.net.limit.Ip;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Function;

/**
 * The wrong passwords, tickets and tokens that one address may offer, be it an IPv4 address or an
 * IPv6 network of 64 bits, on this node: see {@link LiveSettings#guesses}. Programs that accept the
 * same password elsewhere count it here, too. Any thread.
 */
public final class Guesses {
    private static final int ADDRESSES = 16_384;

    private final GuessLimit limit; // null where there is none
    private final Function<Request, String> address;

    Guesses(LiveSettings settings) {
        this.limit =
                settings.guesses == 0
                        ? null
                        : new GuessLimit(
                                settings.guesses, settings.perGuess, ADDRESSES, Clock.system());
        this.address = settings.address;
    }

    /** Returns the time until the client of a request may offer a secret; zero for now. */
    public Duration await(Request request) {
        return await(address.apply(request));
    }

    /** Counts a wrong secret of the client of a request. */
    public void charge(Request request) {
        charge(address.apply(request));
    }

    Duration await(String client) {
        return limit == null ? Duration.ZERO : Duration.ofNanos(limit.await(bytes(client)));
    }

    void charge(String client) {
        if (limit != null) {
            limit.charge(bytes(client));
        }
    }

    /** What stands for a client, whatever the program takes for its address; null for nobody. */
    private static byte[] bytes(String client) {
        byte[] ip = Ip.bytes(client);
        if (ip != null || client.equals(LiveSettings.UNIX)) {
            return ip;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(client.getBytes(UTF_8));
            return Arrays.copyOf(digest, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    /** What counts as one client: an IPv6 network of 64 bits, or the address as it is. */
    static String network(String client) {
        byte[] ip = Ip.bytes(client);
        return ip == null || Ip.isV4(ip) ? client : Long.toHexString(Ip.high(ip)) + "::/64";
    }
}

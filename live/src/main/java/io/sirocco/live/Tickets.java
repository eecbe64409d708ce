// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.live.broker.Broker;
import io.sirocco.live.engine.Engine;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tickets: {@code USER.EXPIRY.NONCE.SIGNATURE}, signed with HMAC-SHA-256, so that nobody remembers
 * those that are not used. The broker remembers those that are, for as long as a node could accept
 * them whose clock is behind by {@link #SKEW}. Any thread.
 */
final class Tickets {
    /** By how much the clocks of two nodes may differ. */
    static final Duration SKEW = Duration.ofMinutes(1);

    private static final int LONGEST = 1_000;
    private static final String HMAC = "HmacSHA256";

    private final Mac keyed; // copied for each ticket: to look for a provider takes longer
    private final Broker broker;
    private final LongSupplier millis;

    Tickets(byte[] secret, Broker broker) {
        this(secret, broker, System::currentTimeMillis);
    }

    Tickets(byte[] secret, Broker broker, LongSupplier millis) {
        this.keyed = keyed(secret);
        this.broker = broker;
        this.millis = millis;
    }

    private static Mac keyed(byte[] secret) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(secret, HMAC));
            mac.clone(); // or else it is none that can be copied
            return mac;
        } catch (GeneralSecurityException | CloneNotSupportedException e) {
            throw new AssertionError("every JDK has HMAC with SHA-256", e);
        }
    }

    String issue(String user, Duration life) {
        String name = Base64.getUrlEncoder().withoutPadding().encodeToString(user.getBytes(UTF_8));
        long expiry = millis.getAsLong() + life.toMillis();
        String claim = name + "." + expiry + "." + Engine.newId();
        return claim + "." + sign(claim);
    }

    /**
     * Waits for the broker.
     *
     * @throws io.sirocco.live.broker.BrokerException when that does not know
     */
    Admission redeem(String ticket) {
        int dot = ticket.lastIndexOf('.');
        String[] parts = ticket.split("\\.", -1);
        if (ticket.length() > LONGEST || parts.length != 4) {
            return Admission.refused("that is no ticket");
        }
        String claim = ticket.substring(0, dot);
        byte[] given = parts[3].getBytes(UTF_8);
        if (!MessageDigest.isEqual(sign(claim).getBytes(UTF_8), given)) {
            return Admission.refused("that is no ticket of ours");
        }
        long left = Long.parseLong(parts[1]) - millis.getAsLong();
        if (left <= 0) {
            return Admission.genuine("the ticket has expired");
        }
        boolean first = Hub.await(broker.spend(parts[2], Duration.ofMillis(left).plus(SKEW)));
        return first
                ? Admission.as(new String(Base64.getUrlDecoder().decode(parts[0]), UTF_8))
                : Admission.genuine("the ticket was used before");
    }

    private String sign(String claim) {
        try {
            byte[] signature = ((Mac) keyed.clone()).doFinal(claim.getBytes(UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(signature);
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e); // it was copied before
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.live.broker.Broker;
import io.sirocco.live.engine.Engine;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;

/**
 * Tickets: {@code USER.EXPIRY.NONCE.SIGNATURE}, signed with HMAC-SHA-256, so that nobody remembers
 * those that are not used. The broker remembers those that are, for as long as they could be used.
 * Any thread.
 */
final class Tickets {
    private static final int LONGEST = 1_000;
    private final Hmac hmac;
    private final Broker broker;

    Tickets(byte[] secret, Broker broker) {
        this.hmac = new Hmac(secret);
        this.broker = broker;
    }

    String issue(String user, Duration life) {
        String name = Base64.getUrlEncoder().withoutPadding().encodeToString(user.getBytes(UTF_8));
        long expiry = System.currentTimeMillis() + life.toMillis();
        String claim = name + "." + expiry + "." + Engine.newId();
        return claim + "." + sign(claim);
    }

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
        long left = Long.parseLong(parts[1]) - System.currentTimeMillis();
        if (left <= 0) {
            return Admission.refused("the ticket has expired");
        }
        boolean first =
                broker.spend(parts[2], Duration.ofMillis(left)).toCompletableFuture().join();
        return first
                ? Admission.as(new String(Base64.getUrlDecoder().decode(parts[0]), UTF_8))
                : Admission.refused("the ticket was used before");
    }

    private String sign(String claim) {
        byte[] signature = hmac.sign(claim.getBytes(UTF_8));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(signature);
    }
}

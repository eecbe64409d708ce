// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.net.limit.Timeouts;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Who may come in: those whom one of these admits; everybody where there is none. Set in a lambda,
 * then frozen. Used by one thread.
 */
public final class Authentication {
    private static final String WRONG = "the password is wrong, or missing";

    final List<Authenticator> all = new ArrayList<>();
    Duration ticketLife;

    Authentication() {}

    /** Whoever knows {@code password}: {@code auth: {password}}. */
    public Authentication password(String password) {
        byte[] known = password.getBytes(UTF_8);
        all.add(
                attempt ->
                        attempt.auth("password")
                                .map(offered -> check(known, offered.getBytes(UTF_8)))
                                .orElse(Admission.genuine(WRONG)));
        return this;
    }

    private static Admission check(byte[] known, byte[] offered) {
        return MessageDigest.isEqual(known, offered)
                ? Admission.anybody()
                : Admission.refused(WRONG);
    }

    /**
     * Whoever has a {@link Live#ticket} that is younger than {@code life}: {@code auth: {ticket}}.
     */
    public Authentication tickets(Duration life) {
        ticketLife = Timeouts.positive("The life of tickets", life);
        return this;
    }

    /** Whoever has a token that is good: {@code auth: {token}}. */
    public Authentication jwt(Jwt rules) {
        all.add(
                attempt ->
                        attempt.auth("token")
                                .map(rules::check)
                                .orElse(Admission.genuine("the token is missing")));
        return this;
    }

    /** Whom the program admits. */
    public Authentication authenticate(Authenticator authenticator) {
        all.add(authenticator);
        return this;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.net.limit.Timeouts;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Who may come in: those whom one of these admits; everybody where there is none. Set in a lambda,
 * then frozen. Used by one thread.
 */
public final class Authentication {
    final List<Authenticator> all = new ArrayList<>();
    Duration ticketLife;

    Authentication() {}

    /** Whoever knows {@code password}: {@code auth: {password}}. */
    public Authentication password(String password) {
        byte[] known = password.getBytes(UTF_8);
        all.add(new Credential("password", offered -> check(known, offered.getBytes(UTF_8))));
        return this;
    }

    private static Admission check(byte[] known, byte[] offered) {
        return MessageDigest.isEqual(known, offered)
                ? Admission.anybody()
                : Admission.refused("the password is wrong");
    }

    /**
     * A credential in {@code auth}. A client that has sent another one is not told that this one is
     * missing. Immutable.
     */
    record Credential(String name, Function<String, Admission> check) implements Authenticator {
        @Override
        public Admission admit(Attempt attempt) {
            return attempt.auth(name).map(check).orElseGet(this::missing);
        }

        boolean isMissing(Attempt attempt) {
            return attempt.auth(name).isEmpty();
        }

        private Admission missing() {
            return Admission.genuine("the " + name + " is missing");
        }
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
        all.add(new Credential("token", rules::check));
        return this;
    }

    /** Whom the program admits. */
    public Authentication authenticate(Authenticator authenticator) {
        all.add(authenticator);
        return this;
    }
}

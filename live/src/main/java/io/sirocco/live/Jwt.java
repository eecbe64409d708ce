// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.text.ParseException;
import java.time.Duration;
import java.util.Date;
import java.util.Optional;
import java.util.Set;

/**
 * Which JSON Web Tokens (RFC 7519) are good: signed with this key by an algorithm that belongs to
 * it, not expired, and of this issuer and for this audience where they are named. The user is the
 * claim {@code sub}. Immutable.
 */
public final class Jwt {
    private static final Duration SKEW = Duration.ofSeconds(30);

    private final JWSVerifier verifier;
    private final Set<JWSAlgorithm> algorithms;
    private final Optional<String> issuer;
    private final Optional<String> audience;

    private Jwt(
            JWSVerifier verifier,
            Set<JWSAlgorithm> algorithms,
            Optional<String> issuer,
            Optional<String> audience) {
        this.verifier = verifier;
        this.algorithms = algorithms;
        this.issuer = issuer;
        this.audience = audience;
    }

    /**
     * Signed with a secret of 32 bytes or more (HS256; HS384 and HS512 where it is long enough).
     */
    public static Jwt hmac(byte[] secret) {
        try {
            return of(new MACVerifier(secret));
        } catch (JOSEException e) {
            throw new IllegalArgumentException("A secret has 32 bytes or more.", e);
        }
    }

    /** Signed with the private part of this RSA or EC key. */
    public static Jwt publicKey(PublicKey key) {
        try {
            return switch (key) {
                case RSAPublicKey rsa -> of(new RSASSAVerifier(rsa));
                case ECPublicKey ec -> of(new ECDSAVerifier(ec));
                default ->
                        throw new IllegalArgumentException(
                                "A key is of RSA or EC, not " + key.getAlgorithm() + ".");
            };
        } catch (JOSEException e) {
            throw new IllegalArgumentException("The key cannot be used.", e);
        }
    }

    private static Jwt of(JWSVerifier verifier) {
        Set<JWSAlgorithm> algorithms = Set.copyOf(verifier.supportedJWSAlgorithms());
        return new Jwt(verifier, algorithms, Optional.empty(), Optional.empty());
    }

    /** The same for tokens of this issuer. */
    public Jwt issuer(String name) {
        return new Jwt(verifier, algorithms, Optional.of(name), audience);
    }

    /** The same for tokens that are for this audience. */
    public Jwt audience(String name) {
        return new Jwt(verifier, algorithms, issuer, Optional.of(name));
    }

    Admission check(String token) {
        try {
            SignedJWT jwt = SignedJWT.parse(token);
            if (!algorithms.contains(jwt.getHeader().getAlgorithm()) || !jwt.verify(verifier)) {
                return Admission.refused("the token is not signed as it should be");
            }
            return check(jwt.getJWTClaimsSet());
        } catch (ParseException | JOSEException | RuntimeException e) {
            return Admission.refused("that is no token");
        }
    }

    private Admission check(JWTClaimsSet claims) {
        long now = System.currentTimeMillis();
        Date until = claims.getExpirationTime();
        Date from = claims.getNotBeforeTime();
        if (until == null || until.getTime() + SKEW.toMillis() <= now) {
            return Admission.refused("the token has expired");
        }
        if (from != null && from.getTime() - SKEW.toMillis() > now) {
            return Admission.refused("the token is not good yet");
        }
        if (issuer.isPresent() && !issuer.get().equals(claims.getIssuer())) {
            return Admission.refused("the token is of another issuer");
        }
        if (audience.isPresent() && !claims.getAudience().contains(audience.get())) {
            return Admission.refused("the token is for somebody else");
        }
        String user = claims.getSubject();
        return user == null ? Admission.anybody() : Admission.as(user);
    }
}

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
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which JSON Web Tokens (RFC 7519) are good: signed with this key by an algorithm that belongs to
 * it, whatever the token says; with an expiry, and not expired; of this issuer and for this
 * audience where they are named. The user is the claim {@code sub}. Clocks may differ by 30
 * seconds.
 *
 * <p>When a token expires its connection is closed, and the client comes back with a fresh one, as
 * the same where there is recovery; unless {@link #atConnectOnly} is said. Immutable.
 */
public final class Jwt {
    private static final Duration SKEW = Duration.ofSeconds(30);
    private static final int SHORTEST_RSA = 2048; // bits, RFC 7518 3.3 and 3.5

    private final JWSVerifier verifier;
    private final Set<JWSAlgorithm> algorithms;
    private final Rules rules;

    private record Rules(
            Optional<String> issuer,
            Optional<String> audience,
            Optional<String> rooms,
            boolean atConnectOnly) {
        static final Rules NONE =
                new Rules(Optional.empty(), Optional.empty(), Optional.empty(), false);
    }

    private Jwt(JWSVerifier verifier, Set<JWSAlgorithm> algorithms, Rules rules) {
        this.verifier = verifier;
        this.algorithms = algorithms;
        this.rules = rules;
    }

    private Jwt(JWSVerifier verifier) {
        this(verifier, Set.copyOf(verifier.supportedJWSAlgorithms()), Rules.NONE);
    }

    private Jwt with(Rules other) {
        return new Jwt(verifier, algorithms, other);
    }

    /**
     * Signed with a secret of 32 bytes or more: HS256; HS384 from 48 on, HS512 from 64 (RFC 7518
     * 3.2).
     *
     * @throws IllegalArgumentException when it is shorter
     */
    public static Jwt hmac(byte[] secret) {
        try {
            return new Jwt(new MACVerifier(secret));
        } catch (JOSEException e) {
            throw new IllegalArgumentException("A secret has 32 bytes or more.", e);
        }
    }

    /**
     * Signed with the private part of this key: RSA of 2048 bits or more (RS256, PS256 and longer
     * hashes), or EC (ES256 by P-256, ES384 by P-384, ES512 by P-521).
     *
     * @throws IllegalArgumentException for any other
     */
    public static Jwt publicKey(PublicKey key) {
        try {
            return switch (key) {
                case RSAPublicKey rsa when rsa.getModulus().bitLength() < SHORTEST_RSA ->
                        throw new IllegalArgumentException(
                                "a key of RSA has 2048 bits or more, this one "
                                        + rsa.getModulus().bitLength());
                case RSAPublicKey rsa -> new Jwt(new RSASSAVerifier(rsa));
                case ECPublicKey ec -> new Jwt(new ECDSAVerifier(ec));
                default ->
                        throw new IllegalArgumentException(
                                "a key is of RSA or EC, not " + key.getAlgorithm());
            };
        } catch (JOSEException e) {
            throw new IllegalArgumentException("the key has a curve that is not used for this", e);
        }
    }

    /**
     * The same of a key in PEM: {@code -----BEGIN PUBLIC KEY-----}, or a certificate, of which only
     * the key is used.
     *
     * @throws IllegalArgumentException for what is none, with a sentence that says what it is
     */
    public static Jwt publicKey(String pem) {
        return publicKey(PublicKeys.of(pem));
    }

    /** The same for tokens of this issuer. */
    public Jwt issuer(String name) {
        return with(new Rules(Optional.of(name), rules.audience, rules.rooms, rules.atConnectOnly));
    }

    /** The same for tokens that are for this audience. */
    public Jwt audience(String name) {
        return with(new Rules(rules.issuer, Optional.of(name), rules.rooms, rules.atConnectOnly));
    }

    /**
     * The same with a claim that lists the rooms which {@link Client#mayJoin} allows, with {@code
     * *} for any text; a token without it names none.
     */
    public Jwt rooms(String claim) {
        return with(
                new Rules(rules.issuer, rules.audience, Optional.of(claim), rules.atConnectOnly));
    }

    /** The same for connections that outlive their token: nothing happens when it expires. */
    public Jwt atConnectOnly() {
        return with(new Rules(rules.issuer, rules.audience, rules.rooms, true));
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

    private Admission check(JWTClaimsSet claims) throws ParseException {
        Instant now = Instant.now();
        Date until = claims.getExpirationTime();
        Date from = claims.getNotBeforeTime();
        if (until == null) {
            return Admission.genuine("the token does not say when it expires");
        }
        Instant end = until.toInstant().plus(SKEW);
        if (!end.isAfter(now)) {
            return Admission.genuine("the token has expired");
        }
        if (from != null && from.toInstant().minus(SKEW).isAfter(now)) {
            return Admission.genuine("the token is not good yet");
        }
        if (rules.issuer.isPresent() && !rules.issuer.get().equals(claims.getIssuer())) {
            return Admission.genuine("the token is of another issuer");
        }
        if (rules.audience.isPresent() && !claims.getAudience().contains(rules.audience.get())) {
            return Admission.genuine("the token is for somebody else");
        }
        return admitted(claims, end);
    }

    private Admission admitted(JWTClaimsSet claims, Instant end) throws ParseException {
        String user = claims.getSubject();
        Admission.Admitted admitted = user == null ? Admission.anybody() : Admission.as(user);
        if (rules.rooms.isPresent()) {
            List<String> rooms = claims.getStringListClaim(rules.rooms.get());
            admitted = admitted.rooms(rooms == null ? List.of() : rooms);
        }
        return rules.atConnectOnly ? admitted : admitted.until(end);
    }
}

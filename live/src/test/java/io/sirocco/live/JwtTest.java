// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Which tokens are good. That others make the same ones is tested in app. */
class JwtTest {
    private static final byte[] SECRET = "0123456789abcdef0123456789abcdef".getBytes(UTF_8);
    private static final Instant LATER = Instant.now().plusSeconds(60);

    private static String token(
            JWSAlgorithm algorithm, JWSSigner signer, Consumer<JWTClaimsSet.Builder> more)
            throws Exception {
        var claims = new JWTClaimsSet.Builder().subject("ada").expirationTime(Date.from(LATER));
        more.accept(claims);
        var jwt = new SignedJWT(new JWSHeader(algorithm), claims.build());
        jwt.sign(signer);
        return jwt.serialize();
    }

    private static String hmac(Consumer<JWTClaimsSet.Builder> more) throws Exception {
        return token(JWSAlgorithm.HS256, new MACSigner(SECRET), more);
    }

    private static Admission.Admitted admitted(Jwt rules, String token) {
        Admission answer = rules.check(token);
        return answer instanceof Admission.Admitted in ? in : fail(answer);
    }

    private static Admission.Admitted fail(Admission answer) {
        throw new AssertionError(answer);
    }

    private static void refused(String why, Jwt rules, String token) {
        assertEquals(why, ((Admission.Refused) rules.check(token)).message());
    }

    private static KeyPair pair(String algorithm, int bits) throws Exception {
        var generator = KeyPairGenerator.getInstance(algorithm);
        generator.initialize(bits);
        return generator.generateKeyPair();
    }

    private static String pem(String label, Key key) {
        String lines =
                Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded());
        return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(label, lines);
    }

    // ---- keys

    @Test
    void aSecretSignsByTheHashesThatItIsLongEnoughFor() throws Exception {
        byte[] longer = new byte[48];
        String by384 = token(JWSAlgorithm.HS384, new MACSigner(longer), c -> {});
        assertEquals(Optional.of("ada"), admitted(Jwt.hmac(SECRET), hmac(c -> {})).user());
        admitted(Jwt.hmac(longer), by384);
        refused("the token is not signed as it should be", Jwt.hmac(SECRET), by384);
        assertThrows(IllegalArgumentException.class, () -> Jwt.hmac(new byte[31]));
    }

    @Test
    void aPublicKeyVerifiesByTheAlgorithmsOfItsKind() throws Exception {
        KeyPair rsa = pair("RSA", 2048);
        KeyPair ec = pair("EC", 256);
        var byRsa = new RSASSASigner(rsa.getPrivate());
        var byEc = new ECDSASigner((ECPrivateKey) ec.getPrivate());
        Jwt ofRsa = Jwt.publicKey(pem("PUBLIC KEY", rsa.getPublic()));
        Jwt ofEc = Jwt.publicKey(pem("PUBLIC KEY", ec.getPublic()));
        admitted(ofRsa, token(JWSAlgorithm.RS256, byRsa, c -> {}));
        admitted(ofRsa, token(JWSAlgorithm.PS512, byRsa, c -> {}));
        admitted(ofEc, token(JWSAlgorithm.ES256, byEc, c -> {}));
        String why = "the token is not signed as it should be";
        refused(why, ofEc, token(JWSAlgorithm.RS256, byRsa, c -> {}));
        refused(why, ofRsa, token(JWSAlgorithm.ES256, byEc, c -> {}));
        refused(why, ofRsa, hmac(c -> {}));
    }

    @Test
    void aPublicKeyIsNoSecret() throws Exception {
        KeyPair rsa = pair("RSA", 2048);
        String text = pem("PUBLIC KEY", rsa.getPublic());
        for (byte[] known :
                List.of(text.getBytes(UTF_8), rsa.getPublic().getEncoded(), new byte[32])) {
            String forged = token(JWSAlgorithm.HS256, new MACSigner(known), c -> {});
            refused("the token is not signed as it should be", Jwt.publicKey(text), forged);
        }
    }

    @Test
    void whatIsNoPublicKeyIsSaidToBeNone() throws Exception {
        KeyPair small = pair("RSA", 1024);
        KeyPair other = pair("Ed25519", 255);
        String key = pem("PUBLIC KEY", pair("EC", 256).getPublic());
        Map<String, String> wrong =
                Map.of(
                        "",
                        "no line is",
                        "secret",
                        "no line is",
                        key + key,
                        "more than one",
                        pem("PUBLIC KEY", small.getPublic()),
                        "2048 bits or more, this one 1024",
                        pem("PUBLIC KEY", other.getPublic()),
                        "neither RSA nor EC",
                        pem("PRIVATE KEY", small.getPrivate()),
                        "openssl pkey",
                        pem("RSA PUBLIC KEY", small.getPublic()),
                        "openssl rsa",
                        pem("CERTIFICATE", small.getPublic()),
                        "the certificate is malformed",
                        "-----BEGIN PUBLIC KEY-----\nQ\n-----END PUBLIC KEY-----",
                        "not base64");
        wrong.forEach(
                (text, why) -> {
                    String said =
                            assertThrows(
                                            IllegalArgumentException.class,
                                            () -> Jwt.publicKey(text),
                                            text)
                                    .getMessage();
                    assertTrue(said.contains(why), said);
                });
    }

    // ---- claims

    @Test
    void aTokenIsGoodFromItsBeginningToItsEnd() throws Exception {
        Jwt rules = Jwt.hmac(SECRET);
        Date soon = Date.from(Instant.now().plusSeconds(60));
        Date ago = Date.from(Instant.now().minusSeconds(60));
        refused("the token has expired", rules, hmac(c -> c.expirationTime(ago)));
        refused("the token does not say when it expires", rules, hmac(c -> c.expirationTime(null)));
        refused("the token is not good yet", rules, hmac(c -> c.notBeforeTime(soon)));
        admitted(rules, hmac(c -> c.notBeforeTime(ago)));
        Date now = Date.from(Instant.now());
        admitted(rules, hmac(c -> c.expirationTime(now).notBeforeTime(now))); // clocks differ
    }

    @Test
    void anIssuerAndAnAudienceThatAreNamedHaveToBeThere() throws Exception {
        Jwt rules = Jwt.hmac(SECRET).issuer("us").audience("chat");
        admitted(rules, hmac(c -> c.issuer("us").audience("chat")));
        admitted(rules, hmac(c -> c.issuer("us").audience(List.of("shop", "chat"))));
        refused("the token is of another issuer", rules, hmac(c -> c.audience("chat")));
        refused("the token is of another issuer", rules, hmac(c -> c.issuer("them")));
        refused("the token is for somebody else", rules, hmac(c -> c.issuer("us")));
        refused(
                "the token is for somebody else",
                rules,
                hmac(c -> c.issuer("us").audience("shop")));
    }

    @Test
    void aTokenWithoutASubjectIsNobodys() throws Exception {
        assertEquals(
                Optional.empty(),
                admitted(Jwt.hmac(SECRET), hmac(claims -> claims.subject(null))).user());
    }

    /** RFC 7519 4.1.2 wants a text; some sign the number of their database. */
    @Test
    void aNumberIsASubjectToo() throws Exception {
        String token = hmac(claims -> claims.claim("sub", 7));
        assertEquals(Optional.of("7"), admitted(Jwt.hmac(SECRET), token).user());
    }

    @Test
    void whatIsMalformedIsNoToken() throws Exception {
        Jwt rules = Jwt.hmac(SECRET).rooms("rooms");
        String good = hmac(c -> {});
        var encoder = Base64.getUrlEncoder().withoutPadding();
        String none = encoder.encodeToString("{\"alg\":\"none\"}".getBytes(UTF_8));
        String claims = good.split("\\.")[1];
        for (String token :
                List.of(
                        "",
                        "x",
                        "..",
                        none + "." + claims + ".",
                        none + "." + claims + "." + good.split("\\.")[2],
                        good + ".x",
                        hmac(c -> c.claim("exp", "tomorrow")),
                        hmac(c -> c.claim("sub", List.of("ada"))),
                        hmac(c -> c.claim("rooms", "all")),
                        hmac(c -> c.claim("rooms", List.of(7))))) {
            refused("that is no token", rules, token);
        }
        String other =
                good.substring(0, good.lastIndexOf('.')) + "." + encoder.encodeToString(SECRET);
        refused("the token is not signed as it should be", rules, other);
    }

    // ---- what follows from it

    @Test
    void theConnectionEndsWithTheTokenUnlessItMayOutliveIt() throws Exception {
        Instant end = LATER.truncatedTo(ChronoUnit.SECONDS).plus(Duration.ofSeconds(30));
        Jwt rules = Jwt.hmac(SECRET);
        assertEquals(Optional.of(end), admitted(rules, hmac(c -> {})).until());
        assertEquals(Optional.empty(), admitted(rules.atConnectOnly(), hmac(c -> {})).until());
    }

    @Test
    void aClaimNamesTheRooms() throws Exception {
        String some = hmac(c -> c.claim("rooms", List.of("kitchen", "chat/*")));
        Admission.Admitted confined = admitted(Jwt.hmac(SECRET).rooms("rooms"), some);
        assertTrue(confined.mayJoin("kitchen"));
        assertTrue(confined.mayJoin("chat/1"));
        assertTrue(!confined.mayJoin("hall"));
        assertTrue(!confined.mayJoin("kitchen2"));
        String none = hmac(c -> {});
        assertTrue(!admitted(Jwt.hmac(SECRET).rooms("rooms"), none).mayJoin("kitchen"));
        assertTrue(admitted(Jwt.hmac(SECRET), some).mayJoin("hall"), "nobody has asked for it");
    }
}

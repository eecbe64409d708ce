// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.app.config.ConfigError;
import io.sirocco.app.config.Live;
import io.sirocco.app.config.LiveTokens;
import io.sirocco.live.Admission;
import io.sirocco.live.Authentication;
import io.sirocco.live.Jwt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The credentials that the channels of {@code [live]} accept: a password and token keys. One valid
 * credential is enough; without any, everyone is admitted. Immutable.
 */
final class Keys {
    private static final int SHORTEST_SECRET = 32; // bytes, RFC 7518 3.2

    private final Optional<String> password;
    private final List<Jwt> tokens;

    private Keys(Optional<String> password, List<Jwt> tokens) {
        this.password = password;
        this.tokens = tokens;
    }

    /**
     * Reads the files.
     *
     * @param given the password of the command line, which overrides that of the file
     * @throws ConfigError if one cannot be used
     */
    static Keys read(Live wanted, Optional<String> given) {
        Optional<String> password =
                given.or(() -> wanted.passwordFile().map(file -> line(file, 1, "password-file")));
        return new Keys(password, tokens(wanted.tokens()));
    }

    private static List<Jwt> tokens(LiveTokens wanted) {
        var all = new ArrayList<Jwt>();
        wanted.secretFile().map(Keys::ofSecret).ifPresent(all::add);
        wanted.publicKeyFile().map(Keys::ofPublicKey).ifPresent(all::add);
        all.replaceAll(ruled(wanted));
        return List.copyOf(all);
    }

    private static Jwt ofSecret(Path file) {
        byte[] secret = line(file, 1, "jwt-secret-file").getBytes(UTF_8);
        if (secret.length < SHORTEST_SECRET) {
            String why =
                    "the first line of %s has %d bytes, but needs %d (RFC 7518 3.2); create one with: openssl rand -base64 32";
            throw error(why.formatted(file, secret.length, SHORTEST_SECRET), "jwt-secret-file");
        }
        return Jwt.hmac(secret);
    }

    private static Jwt ofPublicKey(Path file) {
        try {
            return Jwt.publicKey(text(file, "jwt-public-key-file"));
        } catch (IllegalArgumentException e) {
            throw error("cannot use " + file + ": " + e.getMessage(), "jwt-public-key-file");
        }
    }

    private static UnaryOperator<Jwt> ruled(LiveTokens wanted) {
        return jwt -> {
            Jwt rules = wanted.issuer().map(jwt::issuer).orElse(jwt);
            rules = wanted.audience().map(rules::audience).orElse(rules);
            rules = wanted.rooms().map(rules::rooms).orElse(rules);
            return wanted.atConnectOnly() ? rules.atConnectOnly() : rules;
        };
    }

    // ---- files

    /** Returns the first line of a file, which must have a minimum length. */
    static String line(Path file, int shortest, String option) {
        String line = text(file, option).lines().findFirst().orElse("");
        if (line.length() >= shortest) {
            return line;
        }
        String why = "the first line of %s has %d characters, but needs %d";
        throw error(why.formatted(file, line.length(), shortest), option);
    }

    private static String text(Path file, String option) {
        try {
            return Files.readString(file);
        } catch (CharacterCodingException e) {
            throw error(file + " is not a text file", option);
        } catch (IOException e) {
            throw new ConfigError(
                    new UncheckedIOException(file + " cannot be read", e), "live", option);
        }
    }

    private static ConfigError error(String why, String option) {
        return new ConfigError(new IllegalArgumentException(why), "live", option);
    }

    // ---- admission

    /** Returns whether there are none. */
    boolean areNone() {
        return password.isEmpty() && tokens.isEmpty();
    }

    /** Returns whether clients can request tickets. */
    boolean mayGiveTickets() {
        return password.isPresent() || areNone();
    }

    /** Returns whether this is the password, or no credentials are needed. */
    boolean admit(String offered) {
        return password.map(known -> MessageDigest.isEqual(bytes(known), bytes(offered)))
                .orElse(areNone());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** Adds them to the authentication, besides tickets. */
    void addTo(Authentication authentication) {
        password.ifPresent(authentication::password);
        tokens.forEach(authentication::jwt);
        if (areNone()) {
            authentication.authenticate(attempt -> Admission.anybody());
        }
    }
}

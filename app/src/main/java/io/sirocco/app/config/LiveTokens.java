// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The JSON Web Tokens that the channels of {@code [live]} accept; none without a key. Immutable.
 *
 * @param secretFile its first line is the HMAC secret
 * @param publicKeyFile the public key as PEM
 * @param rooms the claim that lists the rooms a client may join
 * @param atConnectOnly whether a connection outlives its token
 */
public record LiveTokens(
        Optional<Path> secretFile,
        Optional<Path> publicKeyFile,
        Optional<String> issuer,
        Optional<String> audience,
        Optional<String> rooms,
        boolean atConnectOnly) {
    private static final List<String> OF_A_KEY =
            List.of("jwt-issuer", "jwt-audience", "jwt-rooms", "jwt-at-connect-only");

    static LiveTokens read(Table table) {
        var tokens =
                new LiveTokens(
                        table.file("jwt-secret-file"),
                        table.file("jwt-public-key-file"),
                        table.value("jwt-issuer", Values.text(LiveTokens::name)),
                        table.value("jwt-audience", Values.text(LiveTokens::name)),
                        table.value("jwt-rooms", Values.text(LiveTokens::name)),
                        table.flag("jwt-at-connect-only", false));
        if (!table.sets("jwt-secret-file") && !table.sets("jwt-public-key-file")) {
            OF_A_KEY.stream().filter(table::sets).forEach(key -> keyless(table, key));
        }
        return tokens;
    }

    /**
     * Reports an option that needs a key; without the error, an operator would believe that tokens
     * are required.
     */
    private static void keyless(Table table, String key) {
        if (!key.equals("jwt-at-connect-only") || table.flag(key, false)) {
            table.error(
                    key,
                    "there is no key to verify tokens with",
                    "set jwt-secret-file or jwt-public-key-file");
        }
    }

    private static String name(String text) {
        if (!text.isEmpty()) return text;
        throw new ConfigError("is empty", "remove it, or give it a value");
    }

    /** Returns whether tokens are accepted. */
    public boolean isOn() {
        return secretFile.isPresent() || publicKeyFile.isPresent();
    }
}

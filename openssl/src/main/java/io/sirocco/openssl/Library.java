// SPDX-License-Identifier: Apache-2.0
package io.sirocco.openssl;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;

/** The two libraries of OpenSSL 3, if the machine has them. Immutable. */
final class Library {
    private static final String MISSING;
    private static final SymbolLookup SYMBOLS;

    static {
        String missing = null;
        SymbolLookup symbols = name -> java.util.Optional.empty();
        try {
            SymbolLookup crypto = SymbolLookup.libraryLookup("libcrypto.so.3", Arena.global());
            symbols = SymbolLookup.libraryLookup("libssl.so.3", Arena.global()).or(crypto);
        } catch (IllegalArgumentException e) {
            missing = e.getMessage();
        }
        MISSING = missing;
        SYMBOLS = symbols;
    }

    private Library() {}

    /**
     * @throws IllegalArgumentException when it is not there
     */
    static void require() {
        if (MISSING != null) {
            throw new IllegalArgumentException(
                    "there is no OpenSSL 3 on this machine (%s); install the package libssl3, or its like"
                            .formatted(MISSING));
        }
    }

    static SymbolLookup symbols() {
        return SYMBOLS;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Path;
import java.util.Optional;

/** One {@code [[tls.certificate]]}: its files, which exist. Immutable. */
public sealed interface Certificate {

    /**
     * Two PEM files.
     *
     * @param password the file with the password of the key
     */
    record Pem(Path chain, Path key, Optional<Path> password) implements Certificate {}

    /**
     * A PKCS#12 store.
     *
     * @param alias which entry; empty for the only one
     */
    record Store(Path store, String alias, Optional<Path> password) implements Certificate {}

    static Certificate read(Table table) {
        Optional<Path> chain = table.file("chain");
        Optional<Path> key = table.file("key");
        Optional<Path> store = table.file("store");
        Optional<String> alias = table.value("alias", Values::text);
        Optional<Path> password = table.file("password-file");
        check(table);
        table.end();
        return store.isPresent()
                ? new Store(store.get(), alias.orElse(""), password)
                : new Pem(chain.orElse(Path.of("")), key.orElse(Path.of("")), password);
    }

    private static void check(Table table) {
        if (table.sets("store")) {
            if (table.sets("chain") || table.sets("key")) {
                table.error(
                        "store",
                        "a store contains both chain and key",
                        "remove \"chain\" and \"key\"");
            }
            return;
        }
        if (!table.sets("chain") && !table.sets("key")) {
            table.error("chain", "the certificate has no files", "set chain and key, or store");
        } else if (!table.sets("key")) {
            table.error("chain", "this certificate has no key", "add key = \"example.key\"");
        } else if (!table.sets("chain")) {
            table.error("key", "this key has no certificate", "add chain = \"example.pem\"");
        }
        if (table.sets("alias")) table.error("alias", "an alias needs a store", "remove it");
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * {@code [admin]}. Immutable.
 *
 * @param address empty: there is no admin server
 * @param token a file, which the server creates if it is missing; set unless the address is local
 * @param healthOpen whether /health and /ready need no token
 */
public record Admin(Optional<Address> address, Optional<Path> token, boolean healthOpen) {

    static Admin read(Table table) {
        Optional<Address> none = Optional.empty();
        Optional<Address> address =
                table.value(
                        "address",
                        Node.of(""),
                        Values.text(
                                text ->
                                        text.isEmpty()
                                                ? none
                                                : Optional.of(
                                                        Address.parse(text, table.folder()))));
        var admin =
                new Admin(address, table.newFile("token-file"), table.flag("health-open", true));
        if (address.isPresent() && !address.get().isLocal() && !table.sets("token-file")) {
            table.error(
                    "address",
                    "this address is open to the network, so it needs a token",
                    ("in [admin]%s, set token-file = \"admin.token\", or use a loopback address such"
                                    + " as \"127.0.0.1:9180\"")
                            .formatted(table.position("address").orOfAFile()));
        }
        if (address.isEmpty() && table.sets("token-file")) {
            table.warning(
                    "token-file",
                    "\"token-file\" has no effect",
                    "the admin server is off; set address = \"127.0.0.1:9180\" to start it");
        }
        return admin;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * {@code [admin]}. Immutable.
 *
 * @param address empty: there is no admin server
 * @param token a file, which the server creates if it is missing; set unless the address is local
 * @param registrationToken a file like {@code token}, whose token is for servers that register with
 *     an upstream, and for nothing else
 * @param healthOpen whether /health and /ready need no token
 */
public record Admin(
        Optional<Address> address,
        Optional<Path> token,
        Optional<Path> registrationToken,
        boolean healthOpen) {

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
                new Admin(
                        address,
                        table.newFile("token-file"),
                        table.newFile("registration-token-file"),
                        table.flag("health-open", true));
        if (address.isPresent() && !address.get().isLocal() && !table.sets("token-file")) {
            table.error(
                    "address",
                    "this address is open to the network, so it needs a token",
                    ("in [admin]%s, set token-file = \"admin.token\", or use a loopback address such"
                                    + " as \"127.0.0.1:9180\"")
                            .formatted(table.position("address").orOfAFile()));
        }
        for (String key : List.of("token-file", "registration-token-file")) {
            if (address.isEmpty() && table.sets(key)) {
                table.warning(
                        key,
                        "\"" + key + "\" has no effect",
                        "the admin server is off; set address = \"127.0.0.1:9180\" to start it");
            }
        }
        return admin;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * {@code basic-auth}. Immutable.
 *
 * @param users a file that is there: lines of name:hash
 */
public record BasicAuth(String realm, Path users) {

    static BasicAuth read(Table table) {
        String realm = table.text("realm", "Restricted", Texts::fieldValue);
        Optional<Path> users = table.file("users-file");
        if (!table.sets("users-file")) {
            table.error("users-file", "basic-auth needs \"users-file\"", "htpasswd -B makes one");
        }
        return new BasicAuth(realm, users.orElse(Path.of("")));
    }
}

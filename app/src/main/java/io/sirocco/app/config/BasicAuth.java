// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.web.access.Users;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * {@code basic-auth}. Immutable.
 *
 * @param users an existing file: lines of name:hash
 */
public record BasicAuth(String realm, Path users) {

    static BasicAuth read(Table table) {
        String realm = table.text("realm", "Restricted", Texts::fieldValue);
        Optional<Path> users = table.file("users-file");
        if (!table.sets("users-file")) {
            table.error("users-file", "basic-auth needs \"users-file\"", "htpasswd -B creates one");
        }
        users.ifPresent(file -> check(file, table));
        return new BasicAuth(realm, users.orElse(Path.of("")));
    }

    /** Reports the mistakes in the users file together with all others. */
    private static void check(Path file, Table table) {
        try {
            if (Users.read(file).size() == 0) {
                table.warning(
                        "users-file",
                        file + " has no users, so every request gets 401",
                        "add one with htpasswd -B");
            }
        } catch (IOException e) {
            table.error("users-file", "the users file cannot be read: " + e.getMessage(), "");
        } catch (IllegalArgumentException e) {
            table.error("users-file", e.getMessage(), "");
        }
    }
}

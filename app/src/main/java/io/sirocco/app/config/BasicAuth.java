// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.web.access.Users;
import java.io.IOException;
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
        users.ifPresent(file -> check(file, table));
        return new BasicAuth(realm, users.orElse(Path.of("")));
    }

    /** What is wrong with the list is told here, with what else is wrong with the configuration. */
    private static void check(Path file, Table table) {
        try {
            if (Users.read(file).size() == 0) {
                table.warning(
                        "users-file",
                        "nobody gets in: " + file + " has no users",
                        "htpasswd -B adds one");
            }
        } catch (IOException e) {
            table.error("users-file", "the list of users cannot be read: " + e.getMessage(), "");
        } catch (IllegalArgumentException e) {
            table.error("users-file", e.getMessage(), "");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.List;

/**
 * One line of {@code cache-control}. Immutable.
 *
 * @param files names, with {@code *} for any letters; not empty
 */
public record CacheControl(List<String> files, String value) {

    static CacheControl read(Table table) {
        List<String> files =
                table.needed(
                        "files",
                        Node.of(List.of()),
                        "files = [\"*.css\"]",
                        Values.list(Values.text(CacheControl::glob)));
        if (table.sets("files") && files.isEmpty()) {
            table.error("files", "\"files\" is empty", "write files = [\"*\"] for all files");
        }
        return new CacheControl(
                files,
                table.needed(
                        "value",
                        Node.of(""),
                        "value = \"max-age=60\"",
                        Values.text(Texts::fieldValue)));
    }

    private static String glob(String text) {
        if (!text.isEmpty()) return text;
        throw new ConfigError("contains an empty name", "write \"*\" for all files");
    }
}

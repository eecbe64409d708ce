// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.web.compress.TypeList;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The options for files of a site or a route. Immutable.
 *
 * @param root an existing directory; empty: there are no files
 * @param strip removed from a path before its file is looked up; may be empty
 * @param fallback served where no file exists
 * @param notFound a page for 404
 * @param charset empty for none
 * @param maxRanges 0: ranges are not served
 * @param precompressed endings such as "br", in order of preference
 * @param compress codings such as "zstd", in order of preference; empty for never
 * @param compressFrom bytes
 * @param compressTypes media types, or ranges such as {@code text/*}
 * @param cacheControl the first matching line applies
 */
public record Files(
        Optional<Path> root,
        String strip,
        List<String> index,
        boolean listing,
        Optional<String> fallback,
        Optional<String> notFound,
        boolean hiddenFiles,
        SymbolicLinks symbolicLinks,
        String charset,
        int maxRanges,
        List<String> precompressed,
        List<String> compress,
        long compressFrom,
        List<String> compressTypes,
        List<CacheControl> cacheControl) {

    /** The symbolic links that are followed. */
    public enum SymbolicLinks {
        INSIDE,
        NONE,
        ALL
    }

    /** Reads the options of a site; {@code strip} is an option of routes only. */
    static Files read(Table table) {
        return read(table, "");
    }

    static Files read(Table table, String strip) {
        return new Files(
                table.directory("root"),
                strip,
                table.list("index", List.of("index.html"), Values.text(Files::name)),
                table.flag("listing", false),
                table.value("fallback", Values.text(Texts::page)).filter(page -> !page.isEmpty()),
                table.value("not-found", Values.text(Texts::page)).filter(page -> !page.isEmpty()),
                table.flag("hidden-files", false),
                table.choice("symbolic-links", SymbolicLinks.INSIDE),
                table.text("charset", "utf-8", Texts::charset),
                table.whole("max-ranges", 16, 0, 1000),
                table.list(
                        "precompressed",
                        List.of("br", "zst", "gz"),
                        Values.oneOf(List.of("br", "zst", "gz"))),
                table.list(
                        "compress",
                        List.of("zstd", "br", "gzip"),
                        Values.oneOf(List.of("zstd", "br", "gzip"))),
                table.size("compress-from", "1KiB", 0, Long.MAX_VALUE),
                table.list(
                        "compress-types",
                        TypeList.COMPRESSIBLE.types(),
                        Values.text(Texts::mediaRange)),
                table.inlines("cache-control", CacheControl::read));
    }

    private static String name(String text) {
        if (!text.isEmpty() && !text.contains("/")) return text;
        throw new ConfigError(
                "contains an invalid file name: \"" + text + "\"",
                "write a name such as \"index.html\"");
    }
}

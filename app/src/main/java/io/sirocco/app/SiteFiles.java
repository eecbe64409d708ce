// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Cache;
import io.sirocco.app.config.CacheControl;
import io.sirocco.app.config.Files;
import io.sirocco.app.config.Site;
import io.sirocco.net.RootDirectory;
import io.sirocco.web.compress.Coding;
import io.sirocco.web.files.FileOptions;
import io.sirocco.web.files.FileServer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The file servers of a configuration, one for each set of options. A reload keeps those whose
 * options are unchanged, with their caches. Used by one thread, then frozen.
 */
final class SiteFiles implements AutoCloseable {
    /** The maximum size of a file cache, which leaves the rest of the heap to connections. */
    private static final long MAX_CACHED = Runtime.getRuntime().maxMemory() / 4;

    private final Map<Options, FileServer> all = new HashMap<>();
    private Optional<SiteFiles> before; // until these are in effect

    /** The options that two routes must have in common to share a file server. */
    private record Options(Files files, Cache cache, Map<String, String> mime) {
        /** Hashes what usually differs: hashing the whole record takes milliseconds of a start. */
        @Override
        public int hashCode() {
            return files.root().hashCode();
        }
    }

    SiteFiles(Optional<SiteFiles> before) {
        this.before = before;
    }

    /** Returns the server of the files of a route, if it has a folder. */
    Optional<FileServer> of(Site site, Files files) {
        var options = new Options(files, site.cache(), site.mime());
        return files.root()
                .map(
                        root ->
                                all.computeIfAbsent(
                                        options,
                                        wanted ->
                                                kept(wanted).orElseGet(() -> open(root, wanted))));
    }

    private static FileServer open(Path root, Options served) {
        return FileServer.of(root, options -> set(options, served));
    }

    /** Returns the previous file server with its cache, which is compared with the disk once. */
    private Optional<FileServer> kept(Options served) {
        Optional<FileServer> known =
                before.flatMap(old -> Optional.ofNullable(old.all.get(served)));
        known.ifPresent(FileServer::lookAgain);
        return known;
    }

    private static void set(FileOptions options, Options served) {
        Files files = served.files;
        options.index(files.index().toArray(String[]::new))
                .listing(files.listing())
                .hiddenFiles(files.hiddenFiles())
                .symbolicLinks(RootDirectory.Links.valueOf(files.symbolicLinks().name()))
                .charset(files.charset())
                .maxRanges(files.maxRanges())
                .precompressed(codings(files.precompressed()))
                .compress(codings(files.compress()))
                .compressFrom(files.compressFrom())
                .compressTypes(files.compressTypes().toArray(String[]::new))
                .cache(Math.min(served.cache.bytes(), MAX_CACHED))
                .cacheFile(served.cache.largest())
                .cacheCheck(served.cache.check());
        files.fallback().ifPresent(options::fallback);
        files.notFound().ifPresent(options::notFound);
        for (CacheControl rule : files.cacheControl()) {
            options.cacheControl(rule.files(), rule.value());
        }
        served.mime.forEach(options::mime);
    }

    private static Coding[] codings(List<String> names) {
        return names.stream()
                .map(
                        name ->
                                switch (name) {
                                    case "br" -> Coding.BROTLI;
                                    case "zst", "zstd" -> Coding.ZSTD;
                                    case "gz", "gzip" -> Coding.GZIP;
                                    default -> throw new AssertionError(name);
                                })
                .toArray(Coding[]::new);
    }

    /** Completes a start or a reload. */
    void activate() {
        before = Optional.empty();
    }

    /** Closes the file servers that {@code next} does not use. */
    void closeExcept(SiteFiles next) {
        all.values().stream()
                .filter(files -> !next.all.containsValue(files))
                .forEach(FileServer::close);
    }

    /** Closes all of them. */
    @Override
    public void close() {
        all.values().forEach(FileServer::close);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.http.Headers;
import io.sirocco.net.RootDirectory;
import io.sirocco.net.limit.Timeouts;
import io.sirocco.web.compress.Coding;
import io.sirocco.web.compress.TypeList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * How a {@link FileServer} serves its files. What is wrong throws {@link IllegalArgumentException}
 * with a message that says what to write instead. Used by one thread, then frozen.
 */
public final class FileOptions {
    List<String> index = List.of("index.html");
    boolean listing;
    String fallback;
    String notFound;
    boolean hidden;
    RootDirectory.Links links = RootDirectory.Links.INSIDE;
    String charset = "utf-8";
    int maxRanges = 16;
    List<Coding> precompressed = List.of(Coding.BROTLI, Coding.ZSTD, Coding.GZIP);
    List<Coding> compress = List.of(Coding.ZSTD, Coding.BROTLI, Coding.GZIP);
    long compressFrom = 1 << 10;
    TypeList compressTypes = TypeList.COMPRESSIBLE;
    long cacheBytes = Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 4);
    int cacheFile = 64 << 10;
    Duration cacheCheck = Duration.ofSeconds(1);
    final List<CacheRule> cacheRules = new ArrayList<>();
    final Map<String, String> mime = new HashMap<>();
    LongSupplier nanos = System::nanoTime;
    LongSupplier wallMillis = System::currentTimeMillis;

    FileOptions() {}

    /**
     * Sets the names of index pages of directories; the first that exists is sent. Empty for none.
     */
    public FileOptions index(String... names) {
        for (String name : names) {
            if (!FilePath.plain(name, true) || name.isEmpty() || name.contains("/")) {
                throw new IllegalArgumentException(
                        "The index \"" + name + "\" is no name of a file; write index.html.");
            }
        }
        index = List.of(names);
        return this;
    }

    /** Sets whether a directory without an index is listed. Off by default. */
    public FileOptions listing(boolean listing) {
        this.listing = listing;
        return this;
    }

    /**
     * Sets the file that is sent for each path without a file, as single-page applications need it.
     * Its path begins at the root: {@code /index.html}.
     */
    public FileOptions fallback(String path) {
        this.fallback = fromRoot(path);
        return this;
    }

    /** Sets the page of 404. Its path begins at the root: {@code /404.html}. */
    public FileOptions notFound(String path) {
        this.notFound = fromRoot(path);
        return this;
    }

    private static String fromRoot(String path) {
        if (!path.startsWith("/")
                || path.endsWith("/")
                || !FilePath.plain(path.substring(1), false)) {
            throw new IllegalArgumentException(
                    "\"" + path + "\" is no path of a file; write /index.html.");
        }
        return path.substring(1);
    }

    /**
     * Sets whether names that begin with a dot are served. By default only those below {@code
     * /.well-known} are.
     */
    public FileOptions hiddenFiles(boolean hidden) {
        this.hidden = hidden;
        return this;
    }

    /** Sets which symbolic links are followed. By default those that stay below the root. */
    public FileOptions symbolicLinks(RootDirectory.Links links) {
        this.links = Objects.requireNonNull(links, "links");
        return this;
    }

    /** Sets the charset in {@code Content-Type} of text; empty for none. */
    public FileOptions charset(String charset) {
        Headers.of("Content-Type", "text/plain; charset=" + charset); // or it could not be sent
        this.charset = charset;
        return this;
    }

    /**
     * Sets the maximum number of ranges of a request; one with more gets the whole file. By default
     * 16; 0 ignores ranges.
     */
    public FileOptions maxRanges(int most) {
        this.maxRanges = (int) notNegative(most, "The number of ranges");
        return this;
    }

    /**
     * Sets the codings of precompressed files, which are beside the plain ones, in order of
     * preference. By default brotli, zstd and gzip.
     */
    public FileOptions precompressed(Coding... codings) {
        this.precompressed = List.of(codings);
        return this;
    }

    /**
     * Sets the codings that files are compressed with, in order of preference. By default zstd,
     * brotli and gzip.
     */
    public FileOptions compress(Coding... codings) {
        this.compress = List.of(codings);
        return this;
    }

    /**
     * Sets the size in bytes from which on a file is compressed. By default 1 KiB; files of more
     * than 4 MiB are never compressed.
     */
    public FileOptions compressFrom(long bytes) {
        this.compressFrom = notNegative(bytes, "The size from which on files are compressed");
        return this;
    }

    /** Sets the media types that are compressed, such as {@code text/*}. */
    public FileOptions compressTypes(String... types) {
        this.compressTypes = TypeList.of(List.of(types));
        return this;
    }

    /**
     * Sets the bytes of memory for the content of files and their compressed forms; 0 keeps none.
     * By default 64 MiB, or a quarter of the largest heap if that is less.
     */
    public FileOptions cache(long bytes) {
        this.cacheBytes = notNegative(bytes, "The size of the cache");
        return this;
    }

    /**
     * Sets the size in bytes up to which the content of a file is kept in memory, 16 MiB at most;
     * larger ones are kept open. By default 64 KiB.
     */
    public FileOptions cacheFile(long bytes) {
        this.cacheFile = (int) Math.min(notNegative(bytes, "The size of a cached file"), 16 << 20);
        return this;
    }

    /**
     * Sets how long an entry of the cache is used without a check of the disk. By default a second.
     * During a check the old entry is used, unless it is twice as old.
     */
    public FileOptions cacheCheck(Duration age) {
        this.cacheCheck = Timeouts.notNegative("The age of what is cached", age);
        return this;
    }

    /**
     * Sets {@code Cache-Control} for files whose name matches one of these patterns, in which
     * {@code *} matches any characters and {@code ?} one: {@code *.css}. A pattern with a slash is
     * compared with the whole path. The first rule that matches applies.
     */
    public FileOptions cacheControl(List<String> files, String value) {
        Headers.of("Cache-Control", value);
        cacheRules.add(new CacheRule(files.stream().map(Glob::new).toList(), value));
        return this;
    }

    /** Sets the media type of files with this suffix, instead of the default. */
    public FileOptions mime(String extension, String type) {
        if (type.indexOf('/') < 1) {
            throw new IllegalArgumentException(
                    "\"" + type + "\" is no media type; write text/x-" + extension + ".");
        }
        Headers.of("Content-Type", type);
        String plain = extension.startsWith(".") ? extension.substring(1) : extension;
        mime.put(plain.toLowerCase(Locale.ROOT), type);
        return this;
    }

    /** Time for tests. */
    FileOptions clock(LongSupplier nanos) {
        this.nanos = nanos;
        return this;
    }

    private static long notNegative(long number, String what) {
        if (number < 0) {
            throw new IllegalArgumentException(what + " is 0 or more, not " + number + ".");
        }
        return number;
    }
}

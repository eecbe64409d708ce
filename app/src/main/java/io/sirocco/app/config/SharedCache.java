// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * One {@code [[cache]]}: a shared cache (RFC 9111) that routes with {@link Caching} store responses
 * in. Two equal ones are the same cache, also over a reload. Immutable.
 *
 * @param name for routes, metrics and purging
 */
public record SharedCache(String name, Store store) {
    /** The name of a cache that the file does not name. */
    public static final String DEFAULT_NAME = "default";

    /**
     * What is stored, and where. Sizes are in bytes.
     *
     * @param memory of URLs, headers, and bodies that are not on the disk
     * @param memoryBody with a disk, larger bodies go there
     * @param maxEntry the largest body that is stored
     * @param maxHeaderBytes of URL and headers of one response
     * @param collapseTimeout how long a request waits for another one
     * @param statusHeader the name in {@code Cache-Status}; empty: no header
     */
    public record Store(
            long memory,
            Optional<Disk> disk,
            long memoryBody,
            long maxEntry,
            int maxVariants,
            int maxTags,
            int maxHeaderBytes,
            Duration collapseTimeout,
            String statusHeader) {

        /** Returns whether both have files in one folder, which only one cache can open. */
        public boolean sharesFolder(Store other) {
            return disk.isPresent()
                    && other.disk.isPresent()
                    && disk.get().folder.equals(other.disk.get().folder);
        }
    }

    /**
     * The files of a cache.
     *
     * @param folder created if it is missing
     * @param size of all files together
     */
    public record Disk(Path folder, long size) {
        static Disk read(Table table) {
            return new Disk(
                    table.needed(
                            "folder",
                            Node.of("cache"),
                            "folder = \"/var/cache/sirocco\"",
                            Values.text(text -> folder(text, table.folder()))),
                    table.needed(
                            "size",
                            Node.of("1GiB"),
                            "size = \"20GiB\"",
                            Values.size(1 << 20, Long.MAX_VALUE)));
        }

        private static Path folder(String text, Path base) {
            Path folder = Paths.resolved(text, base);
            if (!java.nio.file.Files.exists(folder)) return folder;
            return Paths.directory(text, base);
        }
    }

    /** Returns whether another one has changed settings and the same folder, and so waits. */
    boolean isReopenedAs(SharedCache next) {
        return store.sharesFolder(next.store) && !store.equals(next.store);
    }

    static SharedCache read(Table table) {
        var cache =
                new SharedCache(
                        table.text("name", DEFAULT_NAME, SharedCache::name),
                        new Store(
                                memory(table),
                                table.inline("disk", Disk::read),
                                table.size("memory-body", "256KiB", 0, 1 << 30),
                                table.size("max-entry", "64MiB", 0, Long.MAX_VALUE),
                                table.whole("max-variants", 64, 1, 1_000_000),
                                table.whole("max-tags", 64, 0, 1_000_000),
                                (int) table.size("max-header-bytes", "32KiB", 256, 1 << 20),
                                table.time("collapse-timeout", "10s"),
                                table.text("status-header", "sirocco", SharedCache::status)));
        if (table.sets("memory-body") && cache.store.disk.isEmpty()) {
            table.warning(
                    "memory-body",
                    "\"memory-body\" has no effect",
                    "it needs disk = { folder = ..., size = ... }");
        }
        table.end();
        return cache;
    }

    /** Returns the cache of routes in a file without {@code [cache]}: the defaults. */
    public static SharedCache usual() {
        var reading = new Reading(Path.of(""), new Report());
        return read(new Table(Node.Fields.of(Node.NOWHERE, Map.of()), reading));
    }

    private static long memory(Table table) {
        long memory = table.value("memory", Node.of("64MiB"), Quantity::memory);
        long heap = Runtime.getRuntime().maxMemory();
        if (table.sets("memory") && memory > heap) {
            table.error(
                    "memory",
                    "\"memory\" is more than the heap of the JVM",
                    "write a share of the heap such as \"25%\", or start with"
                            + " SIROCCO_JAVA_OPTS=-Xmx4g");
        }
        return table.sets("memory") ? memory : Math.min(memory, heap / 8);
    }

    private static String name(String text) {
        if (text.matches("[A-Za-z0-9._-]+")) return text;
        throw new ConfigError(
                text.isEmpty() ? "is empty" : "cannot be \"" + text + "\"",
                "write a name such as \"assets\", with letters, digits and .-_");
    }

    private static String status(String text) {
        return text.isEmpty() ? text : Texts.token(text);
    }
}

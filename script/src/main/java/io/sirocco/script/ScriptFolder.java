// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The folder of scripts on the disk. Used by one thread. */
final class ScriptFolder {
    private static final int FILES = 10_000;
    private static final long BYTES = 32L << 20;
    private static final Set<String> TYPES = Set.of("js", "mjs", "json");

    private final Path root;

    ScriptFolder(Path root) {
        this.root = root;
    }

    /** What tells a changed file from an unchanged one. */
    record Stamp(long size, long modified, Object key) {}

    /**
     * Returns the files of the folder, by their paths in it. Symbolic links to files are followed.
     *
     * @throws IOException if the folder cannot be read, or has too many files
     */
    Map<String, Stamp> look() throws IOException {
        var found = new TreeMap<String, Stamp>();
        var visitor =
                new SimpleFileVisitor<Path>() {
                    private long bytes;

                    @Override
                    public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes its) {
                        return dir.equals(root) || !hidden(dir)
                                ? FileVisitResult.CONTINUE
                                : FileVisitResult.SKIP_SUBTREE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes its)
                            throws IOException {
                        if (hidden(file) || !TYPES.contains(type(file))) {
                            return FileVisitResult.CONTINUE;
                        }
                        var real =
                                its.isSymbolicLink()
                                        ? Files.readAttributes(file, BasicFileAttributes.class)
                                        : its;
                        if (real.isRegularFile()) {
                            bytes += real.size();
                            long modified =
                                    real.lastModifiedTime()
                                            .to(java.util.concurrent.TimeUnit.NANOSECONDS);
                            found.put(name(file), new Stamp(real.size(), modified, real.fileKey()));
                        }
                        if (found.size() > FILES || bytes > BYTES) {
                            throw new IOException(
                                    "The folder "
                                            + root
                                            + " has more than "
                                            + FILES
                                            + " files or "
                                            + (BYTES >> 20)
                                            + " MiB of scripts.");
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException e) {
                        return FileVisitResult.CONTINUE; // it was removed a moment ago
                    }
                };
        Files.walkFileTree(root, visitor);
        return found;
    }

    /** Returns the texts of files. Those that are gone are left out. */
    Map<String, String> read(Set<String> names) throws IOException {
        var texts = new HashMap<String, String>();
        for (String name : names) {
            try {
                byte[] bytes = Files.readAllBytes(root.resolve(name.substring(1)));
                texts.put(name, new String(bytes, StandardCharsets.UTF_8));
            } catch (java.nio.file.NoSuchFileException e) {
                // the next look will see it
            }
        }
        return texts;
    }

    private static boolean hidden(Path path) {
        return path.getFileName().toString().startsWith(".");
    }

    private static String type(Path file) {
        String name = file.getFileName().toString();
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private String name(Path file) {
        var name = new StringBuilder();
        for (Path part : root.relativize(file)) {
            name.append('/').append(part);
        }
        return name.toString();
    }
}

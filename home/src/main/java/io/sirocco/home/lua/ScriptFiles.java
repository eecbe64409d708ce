// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import io.sirocco.home.file.AtomicFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The scripts in folder {@code a} of a controller. A name is looked up in upper case, then in any
 * case; a path that leads out of the folder, be it by a symbolic link, is refused. Any thread.
 */
final class ScriptFiles {
    private static final int MAX_BYTES = 4 << 20;

    private final Path folder;

    ScriptFiles(Path root) {
        this.folder = root.resolve("a");
    }

    /**
     * Reads a script, without a byte order mark.
     *
     * @param name for example {@code user.lua}
     * @return empty if there is no such file in the folder
     */
    Optional<byte[]> read(String name) throws IOException {
        Optional<Path> file = find(name);
        if (file.isEmpty()) {
            return Optional.empty();
        }
        try (InputStream in = Files.newInputStream(file.get())) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new IOException(name + " is larger than " + MAX_BYTES + " bytes");
            }
            return Optional.of(withoutMark(bytes));
        }
    }

    private Optional<Path> find(String name) throws IOException {
        if (name.isEmpty() || name.length() > 255 || name.contains("\\")) {
            return Optional.empty();
        }
        Path at = folder;
        try {
            for (Path part : Path.of(name)) {
                Optional<Path> next =
                        part.toString().equals("..") ? Optional.empty() : child(at, part);
                if (Path.of(name).isAbsolute() || next.isEmpty()) {
                    return Optional.empty();
                }
                at = next.get();
            }
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
        boolean inside = at.toRealPath().startsWith(folder.toRealPath());
        return inside && Files.isRegularFile(at) ? Optional.of(at) : Optional.empty();
    }

    private static Optional<Path> child(Path folder, Path name) throws IOException {
        Path upper = folder.resolve(name.toString().toUpperCase(Locale.ROOT));
        if (Files.exists(upper)) {
            return Optional.of(upper);
        }
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.limit(10_000)
                    .filter(file -> file.getFileName().toString().equalsIgnoreCase(name.toString()))
                    .filter(Files::exists)
                    .sorted()
                    .findFirst();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Writes a file unless it exists. */
    void writeIfMissing(String name, byte[] content) throws IOException {
        AtomicFile.createFolder(folder);
        if (find(name).isEmpty()) {
            AtomicFile.write(folder.resolve(name), content);
        }
    }

    private static byte[] withoutMark(byte[] bytes) {
        boolean marked =
                bytes.length >= 3
                        && (bytes[0] & 0xff) == 0xef
                        && (bytes[1] & 0xff) == 0xbb
                        && (bytes[2] & 0xff) == 0xbf;
        return marked ? Arrays.copyOfRange(bytes, 3, bytes.length) : bytes;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessMode;
import java.nio.file.DirectoryStream;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.graalvm.polyglot.io.FileSystem;

/**
 * The files that {@code import} sees: those of a {@link Version} in memory, and nothing of the
 * disk. The path of a file begins with its version. Any thread.
 */
final class VersionFiles implements FileSystem {
    private volatile Version version;

    VersionFiles(Version version) {
        this.version = version;
    }

    /** Adds files of older versions. */
    void version(Version other) {
        version = other;
    }

    @Override
    public Path parsePath(URI uri) {
        throw new IllegalArgumentException("Scripts import files of their folder, not " + uri);
    }

    @Override
    public Path parsePath(String path) {
        return Path.of(path);
    }

    private String text(Path path) throws IOException {
        String name = toAbsolutePath(path).normalize().toString().replace('\\', '/');
        if (name.startsWith("/@")) {
            int slash = name.indexOf('/', 2);
            if (slash > 0) {
                try {
                    int number = Integer.parseInt(name, 2, slash, 10);
                    Map<String, String> texts = version.texts.getOrDefault(number, Map.of());
                    String text = texts.get(name.substring(slash));
                    if (text != null) {
                        return text;
                    }
                } catch (NumberFormatException e) {
                    // not a version
                }
            }
        }
        throw new NoSuchFileException(ScriptException.plain(name));
    }

    @Override
    public void checkAccess(Path path, Set<? extends AccessMode> modes, LinkOption... options)
            throws IOException {
        if (modes.contains(AccessMode.WRITE) || modes.contains(AccessMode.EXECUTE)) {
            throw new SecurityException("Scripts cannot write files.");
        }
        text(path);
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return new Bytes(ByteBuffer.wrap(text(path).getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public Path toAbsolutePath(Path path) {
        return path.isAbsolute() ? path : Path.of("/").resolve(path);
    }

    @Override
    public Path toRealPath(Path path, LinkOption... options) throws IOException {
        text(path);
        return toAbsolutePath(path).normalize();
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String names, LinkOption... options)
            throws IOException {
        var known = new HashMap<String, Object>();
        known.put("isRegularFile", true);
        known.put("isDirectory", false);
        known.put("isSymbolicLink", false);
        known.put("isOther", false);
        known.put("size", (long) text(path).getBytes(StandardCharsets.UTF_8).length);
        return known;
    }

    @Override
    public void createDirectory(Path dir, FileAttribute<?>... attributes) {
        throw new SecurityException("Scripts cannot write files.");
    }

    @Override
    public void delete(Path path) {
        throw new SecurityException("Scripts cannot write files.");
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(
            Path dir, DirectoryStream.Filter<? super Path> filter) {
        throw new SecurityException("Scripts cannot list files.");
    }

    /** A file that can be read. Used by one thread. */
    private static final class Bytes implements SeekableByteChannel {
        private final ByteBuffer bytes;
        private boolean open = true;

        Bytes(ByteBuffer bytes) {
            this.bytes = bytes;
        }

        @Override
        public int read(ByteBuffer into) {
            if (!bytes.hasRemaining()) {
                return -1;
            }
            int n = Math.min(into.remaining(), bytes.remaining());
            into.put(bytes.slice(bytes.position(), n));
            bytes.position(bytes.position() + n);
            return n;
        }

        @Override
        public int write(ByteBuffer from) {
            throw new NonWritableChannelException();
        }

        @Override
        public long position() {
            return bytes.position();
        }

        @Override
        public SeekableByteChannel position(long to) {
            bytes.position((int) Math.min(to, bytes.limit()));
            return this;
        }

        @Override
        public long size() {
            return bytes.limit();
        }

        @Override
        public SeekableByteChannel truncate(long size) {
            throw new NonWritableChannelException();
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public void close() {
            open = false;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.net.OpenFile;
import io.sirocco.net.RootDirectory;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.web.compress.Coding;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Reads the disk: the file or directory that a path leads to, and its content. Blocks while the
 * disk does. Any thread.
 */
final class Loader {
    private static final LazyLogger LOG = LazyLogger.of(Loader.class);

    /** Larger files are not compressed, since that would take seconds. */
    static final long LARGEST_COMPRESSED = 4 << 20;

    /**
     * How often a file is read anew that changes meanwhile, until it is sent without being kept.
     */
    private static final int TRIES = 3;

    /**
     * Linux counts a file's time in ticks: two changes within so long may have the same time, so
     * the content is read again at the next look.
     */
    private static final long UNSETTLED_NANOS = 100_000_000;

    /** Up to so many bytes a response is encoded once, with its body, and kept as an array. */
    private static final int ENCODED = 16 << 10;

    private final RootDirectory root;
    private final Settings settings;

    Loader(RootDirectory root, Settings settings) {
        this.root = root;
        this.settings = settings;
    }

    RootDirectory root() {
        return root;
    }

    /**
     * What is at a path; {@code known}, which may be null, when that is it still. The caller gets a
     * reference to each file of a new entry.
     *
     * @throws IOException when the disk, or the limit of open files, does not let us look
     */
    Entry load(String path, Entry known) throws IOException {
        try {
            if (path.isEmpty() || path.endsWith("/")) {
                return directory(path, known);
            }
            Entry entry = named(path, known);
            return entry == Entry.Nothing.UNSLASHED && !shown(path + "/")
                    ? Entry.Nothing.MISSING // to redirect would tell that it is there
                    : entry;
        } catch (AccessDeniedException e) {
            return Entry.Nothing.FORBIDDEN;
        }
    }

    private Entry directory(String path, Entry known) throws IOException {
        for (String name : settings.index()) {
            Entry index = named(path + name, known);
            if (index instanceof FileEntry) {
                return index;
            }
        }
        OpenFile directory = settings.listing() ? open(path) : null;
        if (directory == null) {
            return Entry.Nothing.MISSING;
        }
        directory.release();
        return directory.isDirectory() ? Entry.Nothing.LISTED : Entry.Nothing.MISSING;
    }

    /** Returns whether a directory exists for a path with a slash: it is listed or has an index. */
    private boolean shown(String path) throws IOException {
        if (settings.listing()) {
            return true;
        }
        for (String name : settings.index()) {
            OpenFile index = open(path + name);
            if (index != null) {
                index.release();
                if (index.isRegular()) {
                    return true;
                }
            }
        }
        return false;
    }

    private Entry named(String path, Entry known) throws IOException {
        for (int left = TRIES; ; left--) {
            OpenFile file = open(path);
            if (file == null) {
                return Entry.Nothing.MISSING;
            }
            try {
                if (file.isDirectory()) {
                    return Entry.Nothing.UNSLASHED;
                }
                if (!file.isRegular()) {
                    return Entry.Nothing.MISSING; // a pipe would be waited for
                }
                Entry entry = entry(path, file, known, left == 1);
                if (entry != null) {
                    return entry;
                }
            } finally {
                file.release();
            }
        }
    }

    /** Null when there is nothing. */
    private OpenFile open(String path) throws IOException {
        try {
            return root.open(path);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Null when it was changed while it was read, but at the {@code last} try. */
    private FileEntry entry(String path, OpenFile file, Entry known, boolean last)
            throws IOException {
        Facts plain = Facts.of(file);
        var codings = new ArrayList<Coding>();
        var files = new ArrayList<OpenFile>();
        openPrecompressed(path, plain, codings, files);
        try {
            var facts = new ArrayList<Facts>();
            facts.add(plain);
            files.forEach(one -> facts.add(Facts.of(one)));
            if (known instanceof FileEntry old && isStill(old, path, facts, codings)) {
                return loaded(old);
            }
            return read(path, file, facts, codings, files, last);
        } finally {
            files.forEach(OpenFile::release);
        }
    }

    /**
     * Reads those of its files into memory that are small enough: somebody has asked for them
     * again, so they are worth it. Returns the same entry when nothing has changed by that.
     */
    private FileEntry loaded(FileEntry known) {
        boolean changed = false;
        long largest = Math.min(settings.cacheFile(), settings.cacheBytes() / 8);
        for (OpenFile file : known.files()) {
            if (file.size() <= largest && !file.loaded() && file.retain()) {
                try {
                    changed |= file.load();
                } catch (IOException | OutOfMemoryError e) { // the kernel can send it still
                    LOG.get().log(Level.DEBUG, "the content of a file is not kept", e);
                } finally {
                    file.release();
                }
            }
        }
        return changed && known.retain() ? known.copy() : known;
    }

    private static boolean isStill(
            FileEntry known, String path, List<Facts> facts, List<Coding> codings) {
        return known.settled()
                && known.path().equals(path)
                && known.facts().equals(facts)
                && known.precompressed().codings().equals(codings);
    }

    /** Those that are not older than the plain file, or they would be of another content. */
    private void openPrecompressed(
            String path, Facts plain, List<Coding> codings, List<OpenFile> files) {
        for (Coding coding : settings.precompressed()) {
            try {
                OpenFile file = root.open(path + coding.suffix());
                if (file.isRegular() && Facts.of(file).modifiedSecond() >= plain.modifiedSecond()) {
                    codings.add(coding);
                    files.add(file);
                } else {
                    file.release();
                }
            } catch (IOException e) {
                // it is not there for us, and the plain one is
            }
        }
    }

    private FileEntry read(
            String path,
            OpenFile file,
            List<Facts> facts,
            List<Coding> codings,
            List<OpenFile> files,
            boolean last)
            throws IOException {
        Facts plain = facts.getFirst();
        String type = settings.types().of(path);
        List<Coding> compressible = compressible(type, plain.size());
        long now = settings.wallMillis().getAsLong();
        var description =
                new Description(
                        type,
                        settings.cacheControl(path),
                        Math.min(plain.modifiedSecond(), now / 1000),
                        !codings.isEmpty() || !compressible.isEmpty(),
                        settings.maxRanges() > 0);
        Representation identity = kept(null, plain, description, file);
        if (identity == null && !last) {
            return null;
        }
        boolean steady = identity != null;
        if (!steady) {
            identity = Representation.of(null, plain, description, file);
            file.retain();
        }
        var precompressed = new ArrayList<Representation>();
        for (int i = 0; i < files.size(); i++) {
            Representation one = kept(codings.get(i), facts.get(i + 1), description, files.get(i));
            if (one != null) {
                precompressed.add(one);
            }
        }
        var compressed =
                compressible.stream()
                        .map(coding -> Representation.unmade(coding, plain, description))
                        .toList();
        boolean settled = steady && now * 1_000_000 - plain.modifiedNanos() > UNSETTLED_NANOS;
        return new FileEntry(
                path,
                facts,
                settled,
                identity,
                Representations.of(precompressed),
                Representations.of(compressed));
    }

    private List<Coding> compressible(String type, long size) {
        if (size < settings.compressFrom()
                || size > LARGEST_COMPRESSED
                || !settings.compressTypes().has(type)) {
            return List.of();
        }
        return settings.compress().stream().filter(coding -> !coding.ruledOut()).toList();
    }

    /** One that is read into memory, or kept open if it is large; null if it has changed. */
    private Representation kept(Coding coding, Facts facts, Description description, OpenFile file)
            throws IOException {
        if (facts.size() > Math.min(ENCODED, settings.cacheFile())) {
            file.retain();
            return Representation.of(coding, facts, description, file);
        }
        byte[] bytes = readAll(file);
        return bytes == null ? null : Representation.of(coding, facts, description, bytes);
    }

    /** All of a file; null when it was changed meanwhile. */
    static byte[] readAll(OpenFile file) throws IOException {
        byte[] bytes = new byte[(int) file.size()];
        for (int at = 0, n; at < bytes.length; at += n) {
            n = file.read(bytes, at, bytes.length - at, at);
            if (n == 0) {
                return null; // it has become shorter
            }
        }
        var now = Files.readAttributes(file.path(), BasicFileAttributes.class);
        boolean same =
                now.size() == file.size()
                        && now.lastModifiedTime().to(TimeUnit.NANOSECONDS) == file.modifiedNanos();
        return same ? bytes : null;
    }
}

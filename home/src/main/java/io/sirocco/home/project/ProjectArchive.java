// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.project;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * The ZIP archive of a project. It refuses more than 10,000 entries and more than 64 MiB unpacked:
 * by the sizes that the archive states, and again by the bytes that come out of it. Used by one
 * thread.
 */
final class ProjectArchive implements AutoCloseable {
    private static final int MAX_ENTRIES = 10_000;
    private static final long MAX_BYTES = 64L << 20;

    private final Path file;
    private final ZipFile zip;
    private long remaining = MAX_BYTES;

    private ProjectArchive(Path file, ZipFile zip) {
        this.file = file;
        this.zip = zip;
    }

    static ProjectArchive open(Path file) throws ProjectException {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new ProjectException(file + " is larger than 64 MiB: it is no project");
            }
            var archive = new ProjectArchive(file, new ZipFile(file.toFile()));
            archive.refuseBombs();
            return archive;
        } catch (NoSuchFileException e) {
            throw new ProjectException(
                    file + ": there is no such file; copy the project of Object Manager to it", e);
        } catch (ZipException e) {
            throw new ProjectException(
                    file + " is no ZIP archive; save the project in Object Manager again", e);
        } catch (ProjectException e) {
            throw e;
        } catch (IOException e) {
            throw new ProjectException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private void refuseBombs() throws IOException {
        long stated = zip.stream().mapToLong(entry -> Math.max(0, entry.getSize())).sum();
        boolean manyEntries = zip.size() > MAX_ENTRIES;
        if (manyEntries || stated > MAX_BYTES) {
            zip.close();
            throw manyEntries
                    ? new ProjectException(file + " has more than 10,000 entries: it is no project")
                    : tooLarge();
        }
    }

    private ProjectException tooLarge() {
        return new ProjectException(file + " is larger than 64 MiB unpacked: it is no project");
    }

    /** Opens an entry; all entries together may give 64 MiB. */
    InputStream read(String name) throws ProjectException {
        ZipEntry entry = zip.getEntry(name);
        if (entry == null) {
            throw new ProjectException(
                    file + " has no entry " + name + "; save the project in Object Manager again");
        }
        try {
            return new Bounded(zip.getInputStream(entry));
        } catch (IOException e) {
            throw new ProjectException(file + ": " + name + " is damaged: " + e.getMessage(), e);
        }
    }

    /** Returns the file and an entry, for messages. */
    String place(String name) {
        return file + ": " + name;
    }

    @Override
    public void close() {
        try {
            zip.close();
        } catch (IOException e) {
            // it was read only
        }
    }

    private final class Bounded extends FilterInputStream {
        Bounded(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int read = super.read();
            count(read < 0 ? 0 : 1);
            return read;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int read = super.read(bytes, from, length);
            count(Math.max(0, read));
            return read;
        }

        private void count(int read) throws ProjectException {
            remaining -= read;
            if (remaining < 0) {
                throw tooLarge();
            }
        }
    }
}

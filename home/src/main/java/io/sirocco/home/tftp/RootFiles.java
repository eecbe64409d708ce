// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import static io.sirocco.home.tftp.TftpError.ACCESS_VIOLATION;
import static io.sirocco.home.tftp.TftpError.FILE_NOT_FOUND;
import static io.sirocco.home.tftp.TftpError.NOT_DEFINED;

import io.sirocco.net.OpenFile;
import io.sirocco.net.RootDirectory;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * The files of a server by the names that clients use: {@code a:\X}, {@code a:/X} and {@code /a/X}
 * are the file {@code a/X} below the root. A name in another case is good enough where no file has
 * the exact one. Neither {@code ..} nor a symbolic link leads out of the root. Blocks while the
 * disk does. Any thread.
 */
final class RootFiles {
    /** The files by which Object Manager identifies the controller, which writes them itself. */
    private static final Set<String> READ_ONLY = Set.of("config.txt", "config.json");

    private static final int DRIVES = 2; // levels of folders in which uploads may have been cut off

    private final Path root;

    private final UploadQuota quota;

    RootFiles(Path root, TftpSettings settings) {
        this.root = root;
        this.quota = new UploadQuota(root, settings.maxTotalSize(), settings.maxFiles());
    }

    /**
     * Opens a file for reading.
     *
     * @throws TftpException when it may not be read
     */
    OpenFile open(String name) throws IOException {
        Path real = real();
        Path found = find(real, parts(name));
        OpenFile file;
        try {
            file =
                    RootDirectory.of(real, RootDirectory.Links.INSIDE)
                            .open(real.relativize(found).toString());
        } catch (NoSuchFileException e) { // or has become a link since
            throw notFound();
        }
        if (!file.isRegular()) {
            file.release();
            throw notFound();
        }
        return file;
    }

    /**
     * Begins to write a file.
     *
     * @throws TftpException when it may not be written
     */
    Upload create(String name) throws IOException {
        List<String> parts = parts(name);
        String last = parts.removeLast();
        if (READ_ONLY.contains(last.toLowerCase(Locale.ROOT))) {
            throw new TftpException(ACCESS_VIOLATION, "File is read-only");
        }
        Path real = real();
        Path folder;
        try {
            folder = find(real, parts);
        } catch (TftpException e) {
            if (e.error() == FILE_NOT_FOUND) {
                throw new TftpException(NOT_DEFINED, "No such folder");
            }
            throw e;
        }
        if (!Files.isDirectory(folder)) {
            throw new TftpException(NOT_DEFINED, "No such folder");
        }
        Path target = target(real, folder, last);
        UploadQuota.Share share = quota.begin(target);
        try {
            return new Upload(target, share);
        } catch (IOException e) {
            share.close();
            throw e;
        }
    }

    /** The file that is replaced, or the new one. */
    private static Path target(Path real, Path folder, String name) throws IOException {
        Path existing = child(folder, name);
        if (existing == null) {
            return resolve(folder, name);
        }
        if (!Files.exists(existing)) { // a link to nowhere
            throw outside();
        }
        Path target = confined(real, existing);
        if (!Files.isRegularFile(target)) {
            throw new TftpException(ACCESS_VIOLATION, "Not a file");
        }
        return target;
    }

    /** Deletes what uploads have left that a crash cut off. */
    void deleteLeftovers() throws IOException {
        List<Path> left;
        try (var files = Files.find(root, DRIVES, (file, _) -> Upload.isTemporary(file))) {
            left = files.toList();
        }
        for (Path file : left) {
            Files.deleteIfExists(file);
        }
    }

    private Path real() throws IOException {
        try {
            return root.toRealPath();
        } catch (NoSuchFileException e) {
            throw notFound();
        }
    }

    private static List<String> parts(String name) throws TftpException {
        String path = name.replace('\\', '/');
        if (path.length() > 1 && path.charAt(1) == ':') {
            path = path.charAt(0) + "/" + path.substring(2);
        }
        var parts = new ArrayList<String>();
        for (String part : path.split("/")) {
            if (part.equals("..")) {
                if (parts.isEmpty()) {
                    throw outside();
                }
                parts.removeLast();
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        if (parts.isEmpty()) {
            throw notFound();
        }
        return parts;
    }

    /** Follows the parts, each with its own case or any other, and returns a real path. */
    private static Path find(Path real, List<String> parts) throws IOException {
        Path at = real;
        for (String part : parts) {
            Path next = child(at, part);
            if (next == null || !Files.exists(next)) {
                throw notFound();
            }
            at = confined(real, next);
        }
        return at;
    }

    /** Returns the entry of a folder; null when it has none. */
    private static Path child(Path folder, String name) throws IOException {
        Path exact = resolve(folder, name);
        if (Files.exists(exact, LinkOption.NOFOLLOW_LINKS)) {
            return exact;
        }
        if (!Files.isDirectory(folder)) {
            return null;
        }
        var found = new TreeSet<Path>(); // the first of several, every time
        try (DirectoryStream<Path> entries =
                Files.newDirectoryStream(
                        folder, e -> e.getFileName().toString().equalsIgnoreCase(name))) {
            entries.forEach(found::add);
        }
        return found.isEmpty() ? null : found.first();
    }

    private static Path resolve(Path folder, String name) throws TftpException {
        try {
            Path child = folder.resolve(name);
            if (folder.equals(child.getParent())) {
                return child;
            }
        } catch (InvalidPathException e) {
            // as if there were none
        }
        throw notFound();
    }

    private static Path confined(Path real, Path path) throws IOException {
        Path target = path.toRealPath();
        if (!target.startsWith(real)) {
            throw outside();
        }
        return target;
    }

    private static TftpException outside() {
        return new TftpException(
                ACCESS_VIOLATION, "Cannot access files outside of TFTP server root");
    }

    private static TftpException notFound() {
        return new TftpException(FILE_NOT_FOUND, "File not found");
    }
}

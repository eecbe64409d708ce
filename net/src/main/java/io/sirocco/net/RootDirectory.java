// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.file.SharedFile;
import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxFiles;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A directory whose files may be opened, and nothing outside of it: neither {@code ..} nor a
 * symbolic link leads out, unless links may, even if the tree changes at that moment. On Linux the
 * kernel ensures that (openat2(2), RESOLVE_BENEATH); elsewhere the real path is checked.
 *
 * <p>Each call looks the directory itself up, so a link in its place may be redirected while its
 * files are served. Opening blocks while the disk does. Any thread.
 */
public final class RootDirectory {
    /** Which symbolic links are followed. Immutable. */
    public enum Links {
        /** None: a file behind a link does not exist. */
        NONE,
        /** Links that stay below the root. */
        INSIDE,
        /** All links, also those that lead outside. */
        ALL
    }

    private static final boolean KERNEL = openat2Works();

    private final Path directory;
    private final Links links;

    private RootDirectory(Path directory, Links links) {
        this.directory = directory.toAbsolutePath();
        this.links = links;
    }

    /** Returns the root {@code directory}, which need not exist yet. */
    public static RootDirectory of(Path directory, Links links) {
        return new RootDirectory(directory, links);
    }

    /** Returns the absolute path of the directory. */
    public Path directory() {
        return directory;
    }

    /**
     * Opens the file or directory at {@code relative}: names separated by {@code /}, or an empty
     * string for the root itself.
     *
     * @throws NoSuchFileException when there is none, or none inside
     * @throws AccessDeniedException when the system does not let us read it
     * @throws TooManyOpenFilesException when the process or the system is out of descriptors
     * @throws IOException for all other errors
     */
    public OpenFile open(String relative) throws IOException {
        if (relative.indexOf('\0') >= 0 || relative.startsWith("/") || climbs(relative)) {
            throw new NoSuchFileException(relative);
        }
        return KERNEL ? openByKernel(relative.isEmpty() ? "." : relative) : openByPath(relative);
    }

    /** The kernel would see to that, but not where it follows all links. */
    private static boolean climbs(String relative) {
        for (int at = relative.indexOf(".."); at >= 0; at = relative.indexOf("..", at + 1)) {
            int end = at + 2;
            if ((at == 0 || relative.charAt(at - 1) == '/')
                    && (end == relative.length() || relative.charAt(end) == '/')) {
                return true;
            }
        }
        return false;
    }

    // ---- by the kernel

    private OpenFile openByKernel(String relative) throws IOException {
        int root = LinuxFiles.openRoot(directory.toString());
        check(root, relative);
        try {
            int opened = LinuxFiles.openIn(root, relative, resolve());
            if (opened == -LinuxFiles.EXDEV && links == Links.INSIDE) {
                return openByPath(relative); // a link with an absolute target may stay inside
            }
            check(opened, relative);
            LinuxFiles.Facts facts = LinuxFiles.facts(opened);
            if (facts == null) {
                Linux.close(opened);
                throw new FileSystemException(relative, null, "the system does not say what it is");
            }
            return new SharedFile(opened, facts);
        } finally {
            Linux.close(root);
        }
    }

    private int resolve() {
        return switch (links) {
            case NONE -> LinuxFiles.RESOLVE_BENEATH | LinuxFiles.RESOLVE_NO_SYMLINKS;
            case INSIDE -> LinuxFiles.RESOLVE_BENEATH;
            case ALL -> 0;
        };
    }

    /** Throws what the system's refusal to open something means; anything else passes. */
    static void check(int opened, String relative) throws IOException {
        switch (-opened) {
            case LinuxFiles.ENOENT,
                    LinuxFiles.ENOTDIR,
                    LinuxFiles.ELOOP,
                    LinuxFiles.EXDEV,
                    LinuxFiles.ENXIO,
                    LinuxFiles.ENAMETOOLONG ->
                    throw new NoSuchFileException(relative);
            case LinuxFiles.EACCES, LinuxFiles.EPERM -> throw new AccessDeniedException(relative);
            case Linux.EMFILE, Linux.ENFILE ->
                    throw new TooManyOpenFilesException(relative, Linux.reason(-opened));
            default -> {
                if (opened < 0) {
                    throw new FileSystemException(relative, null, Linux.reason(-opened));
                }
            }
        }
    }

    private static boolean openat2Works() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return false;
        }
        try {
            int root = LinuxFiles.openRoot("/");
            if (root >= 0) {
                Linux.close(root);
            }
            return root >= 0;
        } catch (LinkageError | IllegalCallerException e) {
            return false;
        }
    }

    // ---- by real paths

    private OpenFile openByPath(String relative) throws IOException {
        try {
            Path base = directory.toRealPath();
            Path named = base.resolve(relative).normalize();
            if (!named.startsWith(base)) { // another drive, a backslash that separates
                throw new NoSuchFileException(relative);
            }
            Path real = named.toRealPath();
            boolean inside = real.startsWith(base) && (links != Links.NONE || real.equals(named));
            if (!inside && links != Links.ALL) {
                throw new NoSuchFileException(relative);
            }
            var facts = Files.readAttributes(real, BasicFileAttributes.class);
            if (!facts.isRegularFile() && !facts.isDirectory()) {
                throw new NoSuchFileException(relative); // a pipe would be waited for
            }
            return KERNEL
                    ? of(base, Links.NONE).open(base.relativize(real).toString())
                    : SharedFile.portable(real);
        } catch (InvalidPathException e) {
            throw new NoSuchFileException(relative);
        } catch (AccessDeniedException e) {
            throw e;
        } catch (FileSystemException e) { // not a directory, a loop of links, a name too long
            throw new NoSuchFileException(relative, null, e.getReason());
        }
    }
}

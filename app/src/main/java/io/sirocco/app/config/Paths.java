// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Names of files in a configuration: relative to its folder, and there. */
final class Paths {
    private Paths() {}

    static Path resolved(String text, Path folder) throws Unfit {
        if (text.isEmpty()) throw new Unfit("is empty", "name a file");
        if (text.startsWith("~")) {
            throw new Unfit("begins with ~: \"" + text + "\"", "write the path in full");
        }
        try {
            return folder.resolve(text).normalize();
        } catch (InvalidPathException e) {
            throw new Unfit("is no path: \"" + text + "\"", "");
        }
    }

    /** A file that can be read. */
    static Path file(String text, Path folder) throws Unfit {
        Path file = resolved(text, folder);
        if (Files.isDirectory(file)) throw new Unfit("is a directory: " + file, "name a file");
        if (!Files.exists(file)) throw new Unfit("is missing: " + file, relative(text, folder));
        if (!Files.isReadable(file)) {
            throw new Unfit("cannot be read by this user: " + file, "look at its permissions");
        }
        return file;
    }

    /** A directory that can be read. */
    static Path directory(String text, Path folder) throws Unfit {
        Path directory = resolved(text, folder);
        if (!Files.exists(directory)) {
            throw new Unfit("is missing: " + directory, relative(text, folder));
        }
        if (!Files.isDirectory(directory)) {
            throw new Unfit("is no directory: " + directory, "name the directory that it lies in");
        }
        if (!Files.isReadable(directory)) {
            throw new Unfit("cannot be read by this user: " + directory, "look at its permissions");
        }
        return directory;
    }

    /** A file that may be made. */
    static Path output(String text, Path folder) throws Unfit {
        Path file = resolved(text, folder);
        if (Files.isDirectory(file)) throw new Unfit("is a directory: " + file, "name a file");
        if (file.getParent() == null || !Files.isDirectory(file.getParent())) {
            throw new Unfit("lies in no directory: " + file, "make the directory first");
        }
        return file;
    }

    private static String relative(String text, Path folder) {
        return Path.of(text).isAbsolute() ? "" : "paths are relative to " + folder;
    }
}

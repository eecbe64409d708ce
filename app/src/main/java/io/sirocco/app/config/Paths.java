// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Resolves and checks the paths in a configuration, which are relative to its folder. */
final class Paths {
    private static final String NAME = "must be the name of a file, not its content";
    private static final String NAME_HINT =
            "the option takes the name of a file that contains the secret";

    private Paths() {}

    static Path resolved(String text, Path folder) {
        if (text.isEmpty()) throw new ConfigError("is empty", "write a path");
        if (Secrets.isContent(text)) throw new ConfigError(NAME, NAME_HINT);
        if (text.startsWith("~")) {
            throw new ConfigError("begins with ~: \"" + text + "\"", "write the full path");
        }
        try {
            return folder.resolve(text).normalize();
        } catch (InvalidPathException e) {
            throw new ConfigError("is not a path: \"" + text + "\"", "");
        }
    }

    /**
     * Returns the path of the file of an option as {@link #file(String, Path)} does. A name that is
     * probably the secret itself is not shown if there is no such file.
     */
    static Path file(String key, String text, Path folder) {
        boolean shown = !Secrets.isIn(key, text) || Files.exists(resolved(text, folder));
        if (shown) return file(text, folder);
        String where = "; there is no such file in " + folder;
        throw new ConfigError("must be the name of a file", NAME_HINT + where);
    }

    /** Returns the path of a file that exists and can be read. */
    static Path file(String text, Path folder) {
        Path file = resolved(text, folder);
        if (Files.isDirectory(file))
            throw ConfigError.sentence(file + " is a directory", "name a file");
        if (!Files.exists(file))
            throw ConfigError.sentence(file + " does not exist", relative(text, folder));
        if (!Files.isReadable(file)) {
            throw unreadable(file);
        }
        return file;
    }

    /** Returns the path of a directory that exists and can be read. */
    static Path directory(String text, Path folder) {
        Path directory = resolved(text, folder);
        if (!Files.exists(directory)) {
            throw ConfigError.sentence(directory + " does not exist", relative(text, folder));
        }
        if (!Files.isDirectory(directory)) {
            throw ConfigError.sentence(
                    directory + " is not a directory", "name the directory that contains it");
        }
        if (!Files.isReadable(directory)) {
            throw unreadable(directory);
        }
        return directory;
    }

    /** Returns the path of a file that exists or can be created. */
    static Path output(String text, Path folder) {
        Path file = resolved(text, folder);
        if (Files.isDirectory(file))
            throw ConfigError.sentence(file + " is a directory", "name a file");
        if (file.getParent() == null || !Files.isDirectory(file.getParent())) {
            throw ConfigError.sentence(
                    "the directory " + file.getParent() + " does not exist", "create it first");
        }
        return file;
    }

    private static ConfigError unreadable(Path path) {
        return ConfigError.sentence(path + " cannot be read by this user", "check its permissions");
    }

    private static String relative(String text, Path folder) {
        return Path.of(text).isAbsolute() ? "" : "paths are relative to " + folder;
    }
}

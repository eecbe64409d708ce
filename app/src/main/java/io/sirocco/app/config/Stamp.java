// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/**
 * What a file looks like from outside. Two looks differ after it was written, after another file
 * was renamed to its name, and after a symbolic link in its path was set to lead elsewhere, as
 * Kubernetes does. Immutable.
 *
 * @param key its inode, as text; empty where the system has none
 */
record Stamp(FileTime modified, long bytes, String key) {
    private static final Stamp MISSING = new Stamp(FileTime.fromMillis(0), -1, "");

    /** A look at a file; one that is missing or cannot be looked at has a stamp as well. */
    static Stamp of(Path file) {
        try {
            var now = Files.readAttributes(file, BasicFileAttributes.class);
            Object key = now.fileKey();
            return new Stamp(now.lastModifiedTime(), now.size(), key == null ? "" : key.toString());
        } catch (IOException missing) {
            return MISSING;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/**
 * The state of a file: it differs after the file is written, after another file is renamed to its
 * name, and after a symbolic link in its path changes, as in Kubernetes. Immutable.
 *
 * @param key its inode, as a string; empty where the system has none
 */
record Stamp(FileTime modified, long bytes, String key) {
    private static final Stamp MISSING = new Stamp(FileTime.fromMillis(0), -1, "");

    /** Returns the state of a file; a missing or unreadable file has one, too. */
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

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The state of reading one configuration, shared by its tables. Used by one thread.
 *
 * @param folder the folder that paths are relative to
 * @param files every file that was named and exists, to be watched
 * @param password whether the command line has a password for the channels, which is not an option
 */
record Reading(Path folder, Report report, Map<Path, Stamp> files, boolean password) {
    Reading(Path folder, Report report) {
        this(folder, report, false);
    }

    Reading(Path folder, Report report, boolean password) {
        this(folder, report, new HashMap<>(), password);
    }

    /** Takes the stamp of a file before it is read, so that no later change is missed. */
    void watch(Path file) {
        files.putIfAbsent(file, Stamp.of(file));
    }
}

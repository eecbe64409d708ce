// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * One reading of a configuration: what all its tables share. Used by one thread.
 *
 * @param folder what paths are relative to
 * @param files every file that was named and exists, to be watched
 * @param password whether the command line has one for the channels, which no option tells
 */
record Reading(Path folder, Report report, Map<Path, Stamp> files, boolean password) {
    Reading(Path folder, Report report) {
        this(folder, report, false);
    }

    Reading(Path folder, Report report, boolean password) {
        this(folder, report, new HashMap<>(), password);
    }

    /** Stamps a file before anyone reads it, so that no later change is missed. */
    void watch(Path file) {
        files.putIfAbsent(file, Stamp.of(file));
    }
}

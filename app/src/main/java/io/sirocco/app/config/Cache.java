// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.time.Duration;

/**
 * The file cache of a site. Immutable.
 *
 * @param bytes of all files; 0 disables it
 * @param largest the content of larger files is not cached
 * @param check the age at which a file is compared with the disk
 */
public record Cache(long bytes, long largest, Duration check) {

    static Cache read(Table table) {
        return new Cache(
                table.size("cache", "64MiB", 0, Long.MAX_VALUE),
                table.size("cache-file", "64KiB", 0, 1 << 30),
                table.time("cache-check", "1s"));
    }
}

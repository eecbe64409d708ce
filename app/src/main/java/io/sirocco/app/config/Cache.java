// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.time.Duration;

/**
 * What a site keeps of its files in memory. Immutable.
 *
 * @param bytes of all of them; 0 keeps none
 * @param largest the content of a file with more bytes is never kept
 * @param check how old what is known of a file may be
 */
public record Cache(long bytes, long largest, Duration check) {

    static Cache read(Table table) {
        return new Cache(
                table.size("cache", "64MiB", 0, Long.MAX_VALUE),
                table.size("cache-file", "64KiB", 0, 1 << 30),
                table.time("cache-check", "1s"));
    }
}

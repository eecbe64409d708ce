// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.net.Clock;
import java.nio.file.Path;

/** The frozen {@link CacheOptions}. Times are in milliseconds. Immutable. */
record CacheSettings(
        long memoryBytes,
        Path folder, // null without a disk
        long diskBytes,
        int memoryBody,
        long maxEntryBytes,
        int maxVariants,
        int maxTags,
        int maxHeaderBytes,
        long collapseTimeout,
        String cacheStatus,
        Clock clock,
        RuleSettings rules) {

    /** Of each store, completed entries have three quarters, and those in the making the rest. */
    static long completed(long bytes) {
        return bytes - inProgress(bytes);
    }

    static long inProgress(long bytes) {
        return bytes / 4;
    }

    /** The largest body that can be kept, by its own limit and by what the stores hold. */
    long largestBody() {
        long room = folder == null ? memoryBytes / 4 : diskBytes / 4;
        return Math.min(maxEntryBytes, Math.max(room, folder == null ? 0 : largestInMemory()));
    }

    /** The largest body that is kept in memory; with a disk, longer ones go there. */
    long largestInMemory() {
        long most = Math.min(maxEntryBytes, memoryBytes / 4);
        return Math.min(folder == null ? Integer.MAX_VALUE - 64 : memoryBody, most);
    }
}

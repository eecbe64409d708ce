// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.web.compress.Coding;
import io.sirocco.web.compress.TypeList;
import java.util.List;
import java.util.function.LongSupplier;

/** The frozen {@link FileOptions}. Immutable; {@code fallback} and {@code notFound} may be null. */
record Settings(
        List<String> index,
        boolean listing,
        String fallback,
        String notFound,
        boolean hidden,
        int maxRanges,
        List<Coding> precompressed,
        List<Coding> compress,
        long compressFrom,
        TypeList compressTypes,
        long cacheBytes,
        int cacheFile,
        long checkNanos,
        List<CacheRule> cacheRules,
        FileTypes types,
        LongSupplier nanos,
        LongSupplier wallMillis) {

    static Settings of(FileOptions options) {
        return new Settings(
                options.index,
                options.listing,
                options.fallback,
                options.notFound,
                options.hidden,
                options.maxRanges,
                options.precompressed,
                options.compress,
                options.compressFrom,
                options.compressTypes,
                options.cacheBytes,
                options.cacheFile,
                options.cacheCheck.toNanos(),
                List.copyOf(options.cacheRules),
                new FileTypes(options.mime, options.charset),
                options.nanos,
                options.wallMillis);
    }

    /** The value of {@code Cache-Control} for a file; null for none. */
    String cacheControl(String path) {
        for (CacheRule rule : cacheRules) {
            if (rule.matches(path)) {
                return rule.value();
            }
        }
        return null;
    }
}

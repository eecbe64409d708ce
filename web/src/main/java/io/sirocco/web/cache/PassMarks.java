// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.sirocco.net.Clock;
import java.time.Duration;

/**
 * URLs whose last response could not be shared: for some seconds, requests for them do not wait for
 * each other. Any thread.
 */
final class PassMarks {
    private static final int MOST = 10_000;
    private static final Duration FOR = Duration.ofSeconds(10);

    private final Cache<String, Boolean> marked;

    PassMarks(Clock clock) {
        this.marked =
                Caffeine.newBuilder()
                        .executor(Runnable::run)
                        .ticker(clock::nanos)
                        .maximumSize(MOST)
                        .expireAfterWrite(FOR)
                        .build();
    }

    void mark(String url) {
        marked.put(url, Boolean.TRUE);
    }

    void clear(String url) {
        marked.invalidate(url);
    }

    boolean has(String url) {
        return marked.getIfPresent(url) != null;
    }
}

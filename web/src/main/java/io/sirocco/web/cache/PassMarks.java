// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.sirocco.net.Clock;
import java.time.Duration;

/**
 * URLs whose last response could not be shared: for some seconds, requests for them do not wait for
 * each other. Their number is limited, and so is the sum of their lengths. Any thread.
 */
final class PassMarks {
    private static final int MOST = 10_000;
    private static final int USUAL_LENGTH = 100;
    private static final Duration FOR = Duration.ofSeconds(10);

    private final Cache<String, Boolean> marked;

    PassMarks(Clock clock) {
        this.marked =
                Caffeine.newBuilder()
                        .executor(Runnable::run)
                        .ticker(clock::nanos)
                        .maximumWeight((long) MOST * USUAL_LENGTH)
                        .weigher((String url, Boolean any) -> Math.max(USUAL_LENGTH, url.length()))
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

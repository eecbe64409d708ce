// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.sirocco.net.Clock;
import java.time.Duration;

/**
 * URLs whose last response could not be shared: for 10 s, requests for them are not collapsed,
 * which means that they do not wait for each other. Varnish calls this hit-for-miss. Their number
 * is limited, and so is the sum of their lengths. Any thread.
 */
final class UncollapsedUrls {
    private static final int MAX_URLS = 10_000;
    private static final int MIN_WEIGHT = 100;
    private static final Duration LIFETIME = Duration.ofSeconds(10);

    private final Cache<String, Boolean> urls;

    UncollapsedUrls(Clock clock) {
        this.urls =
                Caffeine.newBuilder()
                        .executor(Runnable::run)
                        .ticker(clock::nanos)
                        .maximumWeight((long) MAX_URLS * MIN_WEIGHT)
                        .weigher((String url, Boolean any) -> Math.max(MIN_WEIGHT, url.length()))
                        .expireAfterWrite(LIFETIME)
                        .build();
    }

    void add(String url) {
        urls.put(url, Boolean.TRUE);
    }

    void remove(String url) {
        urls.invalidate(url);
    }

    boolean contains(String url) {
        return urls.getIfPresent(url) != null;
    }
}

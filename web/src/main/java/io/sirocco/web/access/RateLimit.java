// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.net.Clock;
import io.sirocco.net.limit.TokenBuckets;
import java.time.Duration;

/**
 * Limits the requests of one client, which is an IPv4 address or an IPv6 network of 64 bits:
 * further requests get 429 (RFC 6585 4) with {@code Retry-After}, the seconds until the next one
 * may pass. Memory is constant: 16 bytes for each of {@code addresses}. When more clients than that
 * send requests at a time, those with the fewest are forgotten and start anew, so that no client is
 * refused for the requests of another, and a client with too many is remembered.
 *
 * <p>Clients of a Unix-domain socket cannot be distinguished and are not limited. The headers
 * {@code RateLimit} and {@code RateLimit-Policy} are still an Internet draft (2026-05) and not
 * sent. Refusals are counted as {@code rate-limit}. Any thread.
 */
public final class RateLimit implements Filter {
    private static final int SECOND = 1_000_000_000;

    private final TokenBuckets buckets;
    private final Refusal refusal;

    /** Refusals by the seconds to wait; loops may race to put the same there. */
    private final Refusal[] refusals = new Refusal[128];

    /**
     * Creates a limit of {@code requests} {@code per} time on average, and of {@code burst} at
     * once.
     *
     * @throws IllegalArgumentException if an argument is out of range
     */
    public RateLimit(
            long requests,
            Duration per,
            long burst,
            int addresses,
            Clock clock,
            Rejections rejections) {
        this.buckets = new TokenBuckets(requests, per, burst, addresses, clock);
        this.refusal = rejections.refusal("rate-limit", 429);
    }

    @Override
    public Response filter(Request request, Handler next) throws Exception {
        long wait = buckets.take(request.remoteAddress());
        return wait == 0 ? next.handle(request) : refuse(request, (wait + SECOND - 1) / SECOND);
    }

    private Response refuse(Request request, long seconds) {
        if (seconds >= refusals.length) {
            return retryAfter(seconds).answer(request);
        }
        Refusal known = refusals[(int) seconds];
        if (known == null) {
            known = retryAfter(seconds);
            refusals[(int) seconds] = known;
        }
        return known.answer(request);
    }

    private Refusal retryAfter(long seconds) {
        return refusal.header("Retry-After", Long.toString(seconds));
    }
}

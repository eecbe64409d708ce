// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.Headers;
import java.time.Duration;

/**
 * A request of this program to an {@link Upstream}. Immutable.
 *
 * @param method the method
 * @param target the path, and perhaps a query
 * @param headers the headers; without {@code Host}, that of the server is sent
 * @param body the body, empty for none
 * @param timeout the longest time until the whole response has arrived, with all retries
 * @param maxBodyBytes the length of the response body above which the request fails
 */
public record UpstreamRequest(
        String method,
        String target,
        Headers headers,
        byte[] body,
        Duration timeout,
        int maxBodyBytes) {}

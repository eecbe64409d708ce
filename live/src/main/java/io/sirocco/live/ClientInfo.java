// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a client has said of itself.
 *
 * @param address where it is
 * @param transport {@code websocket} or {@code polling}
 * @param headers a header of its first request, of those that are kept: {@link
 *     LiveSettings#headers}
 * @param tags that it gave itself: the object {@code tags} in the {@code auth} of its CONNECT, and
 *     {@code name} there as the tag {@code name}
 */
public record ClientInfo(
        String address,
        String transport,
        Function<String, Optional<String>> headers,
        Map<String, String> tags) {

    /** The first header field of this name. */
    public Optional<String> header(String name) {
        return headers.apply(name);
    }
}

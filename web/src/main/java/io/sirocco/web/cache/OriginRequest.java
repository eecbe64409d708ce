// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.Body;
import io.sirocco.http.Headers;
import io.sirocco.net.Loop;
import java.util.Optional;

/**
 * A request of a {@link ResponseCache} to its {@link Origin}. It may outlive the client's request,
 * of which only the {@code body} may be used.
 *
 * @param method the method
 * @param scheme {@code http} or {@code https}: the client's
 * @param authority the host that the client requested, with its port if it sent one
 * @param target the request target as the client sent it
 * @param headers the client's headers. A request whose response may be stored has none of the
 *     client's conditions and ranges, but the cache's own when it revalidates
 * @param body the client's body, which the origin has to send; empty if the client sent none
 * @param loop the event loop on which {@link Origin#fetch} is called
 * @param background whether no client waits for the response
 */
public record OriginRequest(
        String method,
        String scheme,
        String authority,
        String target,
        Headers headers,
        Optional<Body> body,
        Loop loop,
        boolean background) {}

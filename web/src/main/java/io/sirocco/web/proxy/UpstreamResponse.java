// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.Headers;

/**
 * The response to an {@link UpstreamRequest}. Immutable.
 *
 * @param status the status
 * @param headers the headers, without those of the connection
 * @param body the whole body
 */
public record UpstreamResponse(int status, Headers headers, byte[] body) {}

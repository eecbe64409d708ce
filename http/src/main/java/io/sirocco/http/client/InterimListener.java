// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.Headers;

/**
 * Receives the interim (1xx) responses to one request, such as 103 (Early Hints): RFC 9110 15.2.
 */
@FunctionalInterface
public interface InterimListener {

    /**
     * Called on the event loop when an interim response has arrived. Must not block. An exception
     * fails the request.
     *
     * @param status 100, or 102 to 199
     */
    void interim(int status, Headers headers);
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/** Bodies of requests: over TLS the same bytes are answered with the same bytes. */
class RequestBodiesOverTlsTest extends RequestBodiesTest {
    @Override
    boolean secure() {
        return true;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/** Responses: over TLS the same bytes are answered with the same bytes. */
class ResponsesOverTlsTest extends ResponsesTest {
    @Override
    boolean secure() {
        return true;
    }
}

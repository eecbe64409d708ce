// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/** Handshakes: over TLS the same bytes are answered with the same bytes. */
class WebSocketHandshakeOverTlsTest extends WebSocketHandshakeTest {
    @Override
    boolean secure() {
        return true;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/** Keeping connections: over TLS the same bytes are answered with the same bytes. */
class KeepAliveOverTlsTest extends KeepAliveTest {
    @Override
    boolean secure() {
        return true;
    }
}

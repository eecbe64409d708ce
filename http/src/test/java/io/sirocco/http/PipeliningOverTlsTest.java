// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/** Several requests at once: over TLS the same bytes are answered with the same bytes. */
class PipeliningOverTlsTest extends PipeliningTest {
    @Override
    boolean secure() {
        return true;
    }
}

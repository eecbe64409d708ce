// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/** Files: over TLS the same bytes are answered with the same bytes. */
class FileResponsesOverTlsTest extends FileResponsesTest {
    @Override
    boolean secure() {
        return true;
    }
}

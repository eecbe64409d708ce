// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.openssl.OpenSsl;
import java.util.Optional;
import org.junit.jupiter.api.Tag;

/** The same over OpenSSL. */
@Tag("peers")
class OpenSslAlertsTest extends TlsAlertsTest {
    @Override
    Optional<TlsEngines.Kind> engines() {
        return Optional.of(new OpenSsl());
    }
}

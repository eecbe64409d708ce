// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.openssl.OpenSsl;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same over OpenSSL. */
@Tag("peers")
class OpenSslHandshakeTest extends TlsHandshakeTest {
    @Override
    Optional<TlsEngines.Kind> engines() {
        return Optional.of(new OpenSsl());
    }

    @Override
    @Test
    void aNameWithAnUnderscore() throws Exception {
        var probe = new Probe();
        Listener listener = listenToUnderscores(probe);
        assertEquals(
                "subject=CN = underscore",
                subject(sClient(listener, "", "-servername", "my_app.test")));
        TlsSession session = probe.connection().tls().orElseThrow();
        assertEquals(Optional.of("my_app.test"), session.serverName());
    }
}

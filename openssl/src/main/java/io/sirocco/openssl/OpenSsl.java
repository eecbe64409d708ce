// SPDX-License-Identifier: Apache-2.0
package io.sirocco.openssl;

import io.sirocco.net.TlsEngines;
import io.sirocco.net.TlsPolicy;

/**
 * TLS by the OpenSSL that the machine has, version 3: {@code libssl.so.3}. It shakes hands in half
 * the time of the JDK's engine, and is renewed with the system.
 *
 * <pre>{@code
 * Tls tls = Tls.of(settings -> settings
 *         .certificate(Path.of("chain.pem"), Path.of("key.pem"))
 *         .engines(new OpenSsl()));
 * }</pre>
 *
 * <p>Immutable.
 */
public final class OpenSsl implements TlsEngines.Kind {
    /** Loads nothing yet. */
    public OpenSsl() {}

    @Override
    public String name() {
        return "openssl";
    }

    /**
     * @throws IllegalArgumentException when the machine has no OpenSSL 3, or it refuses a
     *     certificate, a cipher suite or a version; it says why
     */
    @Override
    public TlsEngines engines(TlsPolicy policy) {
        Library.require();
        return new OpenSslEngines(policy);
    }

    /** How many connections have an engine now, in this process. Any thread. */
    public static long alive() {
        return OpenSslEngine.ALIVE.get();
    }
}

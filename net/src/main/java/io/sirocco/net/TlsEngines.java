// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.List;

/**
 * Makes the engines of connections, all with one {@link TlsPolicy}. The JDK's are the default; see
 * {@link TlsSettings#engines}. Any thread.
 */
public interface TlsEngines {
    /**
     * Returns an engine for a connection that begins now; only the calling thread uses it.
     *
     * @param protocols the protocols that the server supports (ALPN), the best first. The first
     *     that the client supports is selected, and a client without any of them is refused; empty
     *     ignores ALPN
     */
    TlsEngine engine(List<String> protocols);

    /**
     * A kind of engine, for {@link TlsSettings#engines} and {@link java.util.ServiceLoader}. Any
     * thread.
     */
    interface Kind {
        /** Returns its name in configuration files. */
        String name();

        /**
         * Returns engines with {@code policy}.
         *
         * @throws IllegalArgumentException when it does not support the policy, or is not available
         *     on this machine; the message says why
         */
        TlsEngines engines(TlsPolicy policy);
    }
}

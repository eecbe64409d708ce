// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.List;

/**
 * Makes the engines of connections, all by one {@link TlsPolicy}. Unless {@link
 * TlsSettings#engines} says otherwise they are the JDK's. Any thread.
 */
public interface TlsEngines {
    /**
     * An engine for a connection that begins now; it is used by the calling thread alone.
     *
     * @param protocols what can be spoken, for ALPN; of these the first that the client has. A
     *     client that names others only is refused; none for not taking part in it
     */
    TlsEngine engine(List<String> protocols);

    /** A kind of engine, for {@link TlsSettings#engines} and {@link java.util.ServiceLoader}. */
    interface Kind {
        /** What configuration files call it. */
        String name();

        /**
         * Takes up a policy.
         *
         * @throws IllegalArgumentException when it cannot do what is asked of it, or cannot be had
         *     on this machine; it says why
         */
        TlsEngines engines(TlsPolicy policy);
    }
}

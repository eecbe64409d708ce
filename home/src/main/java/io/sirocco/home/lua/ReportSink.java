// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/** Sends reports to clients that have registered by {@code SYSTEM:clientRegister}. Any thread. */
@FunctionalInterface
public interface ReportSink {
    /**
     * A report that is due.
     *
     * @param host the address that the client has named, for the text of the datagram; empty if it
     *     has named none
     * @param to where to send it: the address that the client has named, or that from which it has
     *     registered
     * @param value {@code clientReport:ID:{VALUES}}
     */
    record Report(Optional<InetAddress> host, InetSocketAddress to, String value) {}

    /** Sends a report, or drops it. Must not block. */
    void send(Report report);
}

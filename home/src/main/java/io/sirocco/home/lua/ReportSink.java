// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import java.net.InetAddress;

/** Sends reports to clients that have registered by {@code SYSTEM:clientRegister}. Any thread. */
@FunctionalInterface
public interface ReportSink {
    /**
     * A report that is due.
     *
     * @param host the address that the client has named, for the text of the datagram
     * @param destination the address to send to: the host, or the address from which the client has
     *     registered
     * @param port the port to send to
     * @param value {@code clientReport:ID:{VALUES}}
     */
    record Report(InetAddress host, InetAddress destination, int port, String value) {}

    /** Sends a report, or drops it. Must not block. */
    void send(Report report);
}

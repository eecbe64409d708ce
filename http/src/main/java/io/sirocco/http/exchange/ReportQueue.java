// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.net.Connection;

/**
 * The exchanges of one connection whose responses are written but not sent yet. Each is reported
 * when the kernel has taken its last byte. A connection has a queue only while it is not empty.
 * Loop-confined.
 */
final class ReportQueue {
    private final Connection connection;
    private ExchangeReport first;
    private ExchangeReport last;

    ReportQueue(Connection connection) {
        this.connection = connection;
    }

    /** Adds an exchange whose whole response was just written. */
    void add(Exchange exchange) {
        var report = ExchangeReport.of(exchange, connection.outputEnd());
        if (first == null) {
            first = report;
            connection.notifySent();
        } else {
            last.next = report;
        }
        last = report;
    }

    boolean isEmpty() {
        return first == null;
    }

    /** Reports the exchanges whose responses were sent. */
    void sent() {
        while (first != null && connection.unsentBefore(first.end) == 0) {
            deliver(true);
        }
    }

    /** Reports all exchanges, because the connection now speaks another protocol. */
    void upgraded() {
        while (first != null) {
            deliver(true);
        }
    }

    /** Reports all exchanges, because the connection is closed and unsent output is lost. */
    void closed() {
        while (first != null) {
            long unsent = connection.unsentBefore(first.end);
            first.lost(unsent);
            deliver(unsent == 0);
        }
    }

    private void deliver(boolean sent) {
        ExchangeReport report = first;
        first = report.next;
        report.deliverLater(sent);
    }
}

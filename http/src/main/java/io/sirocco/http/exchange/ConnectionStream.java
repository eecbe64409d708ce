// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.TlsSession;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * A stream that has a connection to itself: its facts, its output and its time are those of the
 * connection. Loop-confined.
 */
public abstract class ConnectionStream implements HttpStream {
    protected final Connection connection;
    protected final LoopContext context;

    private ReportQueue reports; // null while there are none

    protected ConnectionStream(Connection connection, LoopContext context) {
        this.connection = connection;
        this.context = context;
    }

    // ---- facts

    @Override
    public SocketAddress remote() {
        return connection.remote();
    }

    @Override
    public SocketAddress peer() {
        return connection.peer();
    }

    @Override
    public SocketAddress local() {
        return connection.local();
    }

    @Override
    public Optional<TlsSession> tls() {
        return connection.tls();
    }

    @Override
    public boolean secure() {
        return connection.secure();
    }

    @Override
    public boolean authoritative(byte[] bytes, int from, int to) {
        return connection.authoritative(bytes, from, to);
    }

    @Override
    public boolean open() {
        return connection.isOpen();
    }

    @Override
    public boolean connected() {
        return !connection.isClosed();
    }

    // ---- output and time

    @Override
    public boolean congested() {
        return connection.isCongested();
    }

    @Override
    public long unsent() {
        return connection.unsent();
    }

    @Override
    public boolean stores(long bytes) {
        return connection.reserveMemory(bytes);
    }

    @Override
    public void abort(CloseCause cause) {
        connection.abort(cause);
    }

    /** Returns the time in {@code millis} milliseconds, of which 0 are for ever. */
    protected final long after(long millis) {
        return millis == 0 ? Long.MAX_VALUE : context.loop.now() + millis;
    }

    @Override
    public void deadline(long at) {
        connection.deadline(at);
    }

    @Override
    public long outputDeadline() {
        connection.watchOutput(true);
        return after(context.limits.writeMillis());
    }

    /** Disconnects a client that reads nothing at all, but not a slow one. */
    @Override
    public void abortIfStalled() {
        if (connection.isOutputStalled()) {
            connection.abort();
        } else {
            connection.deadline(outputDeadline());
        }
    }

    // ---- reports

    @Override
    public void reportWhenSent(Exchange done) {
        if (reports == null && connection.unsentBefore(connection.outputEnd()) == 0) {
            ExchangeReport.of(done, 0).deliverLater(true); // it has left already
            return;
        }
        if (reports == null) {
            reports = new ReportQueue(connection);
        }
        reports.add(done);
    }

    /** Reports exchanges whose responses the system has taken. */
    protected final void reportSent() {
        if (reports != null) {
            reports.sent();
            if (reports.isEmpty()) {
                reports = null;
            }
        }
    }

    /** Reports all exchanges, because the connection now speaks another protocol. */
    protected final void reportUpgraded() {
        if (reports != null) {
            reports.upgraded();
            reports = null;
        }
    }

    /** Reports all exchanges, because the connection is closed. */
    protected final void reportClosed() {
        if (reports != null) {
            reports.closed();
            reports = null;
        }
    }
}

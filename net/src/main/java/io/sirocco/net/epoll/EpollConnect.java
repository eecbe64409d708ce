// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.epoll;

import io.sirocco.net.linux.EpollSet;
import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.linux.LinuxStreams;
import io.sirocco.net.linux.SocketAddresses;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.transport.ConnectingSocket;
import io.sirocco.net.transport.TransportConnect;
import java.io.IOException;
import java.lang.foreign.Arena;

/** A socket that is being connected. Loop-confined. */
final class EpollConnect implements ConnectingSocket, Watched {
    static {
        LinkedErrors.link(OutOfMemoryError.class);
    }

    private final Epoll transport;
    private final TransportConnect attempt;
    private final int descriptor;
    private boolean closed;

    private EpollConnect(Epoll transport, TransportConnect attempt, int descriptor) {
        this.transport = transport;
        this.attempt = attempt;
        this.descriptor = descriptor;
    }

    /**
     * Begins to connect.
     *
     * @throws IOException when it cannot even begin
     */
    static EpollConnect begin(Epoll transport, TransportConnect attempt) throws IOException {
        var to = attempt.to();
        int descriptor = LinuxSockets.outgoing(to.address(), to.source());
        try (Arena scratch = Arena.ofConfined()) {
            var address = SocketAddresses.toNative(to.address(), scratch);
            int result = LinuxStreams.connect(transport.state(), descriptor, address);
            if (result < 0 && result != -LinuxStreams.EINPROGRESS) {
                throw new IOException(Linux.reason(-result));
            }
            var connect = new EpollConnect(transport, attempt, descriptor);
            long about = transport.table().put(descriptor, connect);
            // from now on: it is ready when it is connected, or is not going to be
            int added = transport.set().add(descriptor, EpollConnection.INTEREST_OUT, about);
            if (added < 0) {
                transport.table().remove(descriptor);
                throw Linux.failure("epoll_ctl", added);
            }
            return connect;
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            Linux.close(descriptor);
            throw e;
        }
    }

    @Override
    public void ready(int events) {
        int decided = EpollSet.OUT | EpollSet.ERR | EpollSet.HUP;
        if ((events & decided) == 0) {
            return;
        }
        int error = LinuxStreams.error(transport.state(), descriptor, transport.scratch());
        if (error != 0) {
            closeNow();
            attempt.failed(Linux.reason(error));
            return;
        }
        EpollConnection connection;
        try {
            connection = new EpollConnection(attempt.origin(), transport, descriptor);
        } catch (OutOfMemoryError e) {
            transport.loop().failed(e);
            closeNow();
            attempt.failed("out of memory");
            return;
        }
        closed = true; // the connection has the descriptor now
        connection.takeOver(events);
        attempt.connected(connection);
    }

    @Override
    public void cancel() {
        if (!closed) {
            closeNow();
            attempt.origin().loop().execute(() -> attempt.failed("given up"));
        }
    }

    /** Closes the socket, unless a connection has it. */
    void closeNow() {
        if (!closed) {
            closed = true;
            transport.table().remove(descriptor);
            Linux.close(descriptor);
        }
    }
}

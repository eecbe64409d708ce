// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.epoll;

import io.sirocco.net.Loop;
import io.sirocco.net.linux.EpollSet;
import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.linux.LinuxStreams;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.transport.ListeningSocket;
import io.sirocco.net.transport.TransportAcceptor;
import io.sirocco.net.transport.TransportAcceptor.Placement;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.RejectedExecutionException;

/**
 * A listening socket on epoll. Its events are level-triggered: connections that are not accepted
 * now are reported again. Loop-confined.
 */
final class EpollListener implements ListeningSocket, Watched {
    static {
        LinkedErrors.link(OutOfMemoryError.class);
    }

    private static final int ECONNABORTED = 103;

    private final Epoll transport;
    private final int descriptor;
    private final ExpectedAccepts expected = new ExpectedAccepts();
    private TransportAcceptor acceptor; // null until it listens
    private boolean closed;

    EpollListener(Epoll transport, int descriptor) {
        this.transport = transport;
        this.descriptor = descriptor;
    }

    @Override
    public SocketAddress address() throws IOException {
        return LinuxSockets.local(descriptor);
    }

    @Override
    public void listen(TransportAcceptor acceptor) throws IOException {
        this.acceptor = acceptor;
        long about = transport.table().put(descriptor, this);
        int interest = acceptor.accepting() ? EpollSet.IN : 0;
        LinuxSockets.check("epoll_ctl", transport.set().add(descriptor, interest, about));
    }

    @Override
    public void accepting(boolean on) {
        if (acceptor != null && !closed) {
            long about = transport.table().data(descriptor);
            transport.set().modify(descriptor, on ? EpollSet.IN : 0, about);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            if (acceptor != null) {
                transport.table().remove(descriptor);
            }
            Linux.close(descriptor);
        }
    }

    /** Closes its acceptor, which closes this. */
    void closeNow() {
        try {
            acceptor.closeNow();
        } finally { // without heap, too
            close();
        }
    }

    // ---- accepting

    /** Accepts some of what waits. */
    @Override
    public void ready(int events) {
        boolean oneAtATime = acceptor.oneAtATime();
        int most = oneAtATime ? 1 : expected.count(transport.loop().lastTurnNanos());
        int count = 0;
        for (int i = 0; i < most && !closed && acceptor.accepting(); i++) {
            int accepted = LinuxStreams.accept(transport.state(), descriptor);
            if (accepted == -Linux.EAGAIN) {
                expected.backlogEmpty(count);
                return;
            } else if (accepted == -Linux.EINTR || accepted == -ECONNABORTED) {
                continue;
            } else if (accepted < 0) {
                turnAway(accepted);
                return;
            }
            place(accepted);
            count++;
        }
        if (count == most && !oneAtATime) {
            expected.batchFull(transport.turn());
        }
    }

    private void place(int accepted) {
        Placement place;
        try {
            place = acceptor.place();
        } catch (OutOfMemoryError e) {
            transport.loop().failed(e);
            Linux.close(accepted);
            return;
        }
        if (place.acceptor().loop() == acceptor.loop()) {
            transport.admit(place, accepted);
        } else {
            handOver(accepted, place);
        }
    }

    /**
     * Reports an error. Out of descriptors, the spare one lets the log be written, then accepts a
     * peer and closes it, so that it learns of its fate at once.
     */
    private void turnAway(int error) {
        boolean outOfDescriptors = error == -Linux.EMFILE || error == -Linux.ENFILE;
        boolean spared = outOfDescriptors && transport.closeSpare();
        acceptor.failed(Linux.reason(-error));
        if (spared && !closed) {
            int unlucky = LinuxStreams.accept(transport.state(), descriptor);
            if (unlucky >= 0) {
                Linux.close(unlucky);
            }
        }
        if (outOfDescriptors) {
            transport.openSpare();
        }
    }

    /** Brings a connection to the loop of its place. */
    static void handOver(int descriptor, Placement place) {
        Loop there = place.acceptor().loop();
        try {
            there.execute(
                    () -> {
                        place.arrived();
                        ((Epoll) place.acceptor().transport()).admit(place, descriptor);
                    });
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            Linux.close(descriptor); // that loop has ended, has too many tasks, or there is no heap
            place.arrived();
            place.lost();
        }
    }
}

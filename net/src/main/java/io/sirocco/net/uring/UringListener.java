// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.transport.ListeningSocket;
import io.sirocco.net.transport.TransportAcceptor;
import java.io.IOException;
import java.net.SocketAddress;

/**
 * A listening socket on io_uring. Accept is multishot where the main table has room for all that it
 * may bring. Loop-confined.
 */
final class UringListener implements ListeningSocket {
    private static final int ACCEPT_MULTISHOT = 1;

    private final UringAccepts accepts;
    private final int descriptor;
    private TransportAcceptor acceptor; // null until it listens
    private int id; // in completions
    private boolean armed; // an accept is under way
    private boolean multishot; // and accepts as many as come
    private boolean closed;

    UringListener(UringAccepts accepts, int descriptor) {
        this.accepts = accepts;
        this.descriptor = descriptor;
    }

    int id() {
        return id;
    }

    @Override
    public SocketAddress address() throws IOException {
        return LinuxSockets.local(descriptor);
    }

    @Override
    public void listen(TransportAcceptor acceptor) {
        this.acceptor = acceptor;
        id = accepts.add(this);
        accepting(acceptor.accepting());
    }

    @Override
    public void accepting(boolean on) {
        if (acceptor == null) {
            return; // asked again by listen()
        }
        if (on && !armed) {
            accept();
        } else if (!on && armed) {
            cancel();
        }
    }

    @Override
    public void close() {
        closed = true;
        if (acceptor == null) {
            Linux.close(descriptor);
            return;
        }
        try {
            if (armed) {
                cancel();
            }
            accepts.ring().submitIfItWorks();
        } finally {
            Linux.close(descriptor);
        }
        forgetIfDone();
    }

    /** Closes its acceptor, which closes this. */
    void closeNow() {
        acceptor.closeNow();
    }

    /**
     * Takes the outcome of an accept: a connection is in slot {@code result} of the main table, or
     * it has failed.
     *
     * @param more whether the same accept brings further ones
     */
    void accepted(int result, boolean more) {
        armed &= more;
        if (result >= 0) {
            accepts.bring(result, acceptor.place());
        } else if (result != -Linux.ECANCELED && result != -Linux.EINTR && acceptor.accepting()) {
            acceptor.failed(Linux.reason(-result));
        }
        if (!armed && acceptor.accepting()) {
            accept();
        } else if (!armed) {
            forgetIfDone();
        } else if (multishot && mustBeOneAtATime()) {
            multishot = false;
            cancel(); // and then again, for one
        }
    }

    /** No completion to come names a listener that is closed and has no accept under way. */
    private void forgetIfDone() {
        if (closed && !armed) {
            accepts.forget(this);
        }
    }

    private void accept() {
        long about = Uring.userData(Uring.ACCEPTED, id);
        int flags = Linux.SOCK_NONBLOCK; // for sendfile; operations of a ring wait all the same
        long entry = accepts.ring().entry(Ring.ACCEPT, 0, descriptor, 0, 0, flags, about);
        armed = true;
        multishot = !mustBeOneAtATime();
        Ring.priority(entry, multishot ? ACCEPT_MULTISHOT : 0);
        Ring.fileIndex(entry, Ring.FILE_INDEX_ALLOC);
    }

    private boolean mustBeOneAtATime() {
        return acceptor.oneAtATime() || accepts.crowded();
    }

    private void cancel() {
        accepts.ring().cancel(Uring.userData(Uring.ACCEPTED, id));
    }
}

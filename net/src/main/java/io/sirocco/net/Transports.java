// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.epoll.Epoll;
import io.sirocco.net.linux.SystemCallFilter;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.nio.Nio;
import io.sirocco.net.transport.Transport;
import io.sirocco.net.transport.TransportLoop;
import io.sirocco.net.uring.Uring;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/** Chooses the transport of a loop: io_uring, then epoll, then NIO. */
final class Transports {
    private static final LazyLogger LOG = LazyLogger.of(Loop.class);
    private static final AtomicBoolean SAID = new AtomicBoolean();

    private Transports() {}

    /** Called on the loop's own thread, which a ring belongs to. */
    static Transport open(TransportKind kind, TransportLoop loop) throws IOException {
        return switch (kind) {
            case NIO -> new Nio(loop);
            case EPOLL -> epoll(loop);
            case IO_URING -> uring(loop);
            case AUTO -> best(loop);
        };
    }

    private static Transport best(TransportLoop loop) throws IOException {
        String reason;
        try {
            return uring(loop);
        } catch (IOException e) {
            reason = e.getMessage();
        }
        Transport transport;
        try {
            transport = epoll(loop);
        } catch (IOException e) {
            reason += "; " + e.getMessage();
            transport = new Nio(loop);
        }
        if (SAID.compareAndSet(false, true)) {
            LOG.get().log(Level.INFO, "using {0}: {1}", transport.kind().label(), reason);
        }
        return transport;
    }

    private static Transport uring(TransportLoop loop) throws IOException {
        String system = System.getProperty("os.name");
        if (!system.equals("Linux")) {
            throw new IOException("io_uring needs Linux 6.8 or later; this is " + system);
        }
        try {
            SystemCallFilter.requireRings();
            return new Uring(loop);
        } catch (IOException e) {
            throw new IOException(
                    "io_uring is not available here: "
                            + e.getMessage()
                            + " (it needs Linux 6.8 or later, and a container that allows it)",
                    e);
        } catch (LinkageError | IllegalCallerException e) {
            throw noNativeAccess("io_uring", e);
        }
    }

    private static Transport epoll(TransportLoop loop) throws IOException {
        String system = System.getProperty("os.name");
        if (!system.equals("Linux")) {
            throw new IOException("epoll needs Linux; this is " + system);
        }
        try {
            return new Epoll(loop);
        } catch (LinkageError | IllegalCallerException e) {
            throw noNativeAccess("epoll", e);
        }
    }

    private static IOException noNativeAccess(String what, Throwable e) {
        return new IOException(
                what + " needs the foreign-function API of this JVM: " + e.getMessage(), e);
    }
}

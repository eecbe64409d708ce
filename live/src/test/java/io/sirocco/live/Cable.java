// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Passes bytes on to a server, until it is unplugged. Any thread. */
final class Cable implements AutoCloseable {
    private final ServerSocket listener;
    private final int to;
    private final List<Socket> ends = new ArrayList<>(); // with the lock of this, as the next
    private boolean unplugged;
    private final Semaphore refused = new Semaphore(0);

    Cable(int to) {
        this.to = to;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.startVirtualThread(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket near = listener.accept();
                if (!plugIn(near)) {
                    end(near);
                    refused.release();
                }
            }
        } catch (IOException e) {
            unplug(); // it is closed
        }
    }

    private synchronized boolean plugIn(Socket near) throws IOException {
        if (unplugged) {
            return false;
        }
        Socket far = new Socket(InetAddress.getLoopbackAddress(), to);
        ends.add(near);
        ends.add(far);
        Thread.startVirtualThread(() -> pass(near, far));
        Thread.startVirtualThread(() -> pass(far, near));
        return true;
    }

    private static void pass(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // cut
        }
    }

    /** Breaks what is connected, by a reset; whoever connects is broken off, too. */
    synchronized void unplug() {
        unplugged = true;
        refused.drainPermits();
        ends.forEach(Cable::end);
        ends.clear();
    }

    /** Plugs it in again, when somebody has noticed that it was not. */
    void plugWhenNoticed() {
        try {
            boolean noticed = refused.tryAcquire(20, TimeUnit.SECONDS);
            synchronized (this) {
                unplugged = !noticed;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void end(Socket each) {
        try {
            each.setSoLinger(true, 0);
            each.close();
        } catch (IOException e) {
            // it was closed already
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        unplug();
    }
}

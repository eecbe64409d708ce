// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Passes bytes on to a server, until it is cut. Any thread. */
final class Cable implements AutoCloseable {
    private final ServerSocket listener;
    private final int to;
    private final Set<Socket> ends = ConcurrentHashMap.newKeySet();

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
                Socket far = new Socket(InetAddress.getLoopbackAddress(), to);
                ends.add(near);
                ends.add(far);
                Thread.startVirtualThread(() -> pass(near, far));
                Thread.startVirtualThread(() -> pass(far, near));
            }
        } catch (IOException e) {
            cut(); // it is closed
        }
    }

    private static void pass(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // cut
        }
    }

    /** Breaks what is connected; others may connect again. */
    void cut() {
        for (Socket each : ends) {
            try {
                each.setSoLinger(true, 0);
                each.close();
            } catch (IOException e) {
                // it was closed already
            }
        }
        ends.clear();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cut();
    }
}

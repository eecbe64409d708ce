// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import io.sirocco.net.datagram.LinuxDatagrams;
import java.util.ArrayList;
import java.util.List;

/** Polls for a ring which UDP sockets are readable. Loop-confined. */
final class UringDatagrams implements LinuxDatagrams.Poller {
    private static final int POLL_MULTISHOT = 1;
    private static final int POLLIN = 1;

    private final Ring ring;
    private final List<LinuxDatagrams.Socket> sockets = new ArrayList<>(); // null where none is
    private final List<Integer> sequences = new ArrayList<>(); // which one of that number it is

    UringDatagrams(Ring ring) {
        this.ring = ring;
    }

    @Override
    public void watch(LinuxDatagrams.Socket socket) {
        int number = sockets.indexOf(null);
        if (number >= 0) {
            sockets.set(number, socket);
            sequences.set(number, sequences.get(number) + 1 & 0xff_ffff);
        } else {
            number = sockets.size();
            sockets.add(socket);
            sequences.add(0);
        }
        poll(number);
    }

    @Override
    public void forget(LinuxDatagrams.Socket socket) {
        ring.cancel(about(sockets.indexOf(socket)));
        ring.submitIfItWorks();
    }

    private long about(int number) {
        return Uring.userData(Uring.READABLE, sequences.get(number), number);
    }

    private void poll(int number) {
        int descriptor = sockets.get(number).descriptor();
        ring.entry(Ring.POLL_ADD, 0, descriptor, 0, POLL_MULTISHOT, POLLIN, about(number));
    }

    /** A socket is readable, or the poll has ended. */
    void readable(int number, int sequence, int result, boolean more) {
        LinuxDatagrams.Socket socket =
                sequences.get(number) == sequence ? sockets.get(number) : null;
        if (socket == null) {
            return;
        }
        if (result >= 0) {
            socket.receive();
        }
        if (!more) {
            if (socket.isClosed()) {
                sockets.set(number, null); // no completion to come names it
            } else {
                poll(number);
            }
        }
    }
}

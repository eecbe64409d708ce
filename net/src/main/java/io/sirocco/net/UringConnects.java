// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.linux.SocketAddresses;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The connections that one io_uring transport is opening. Each begins as an ordinary descriptor,
 * which takes every option; moves into a ring's table, where it costs the process none; and is
 * connected there.
 *
 * <pre>
 *   begin    socket, options, bind; then FILES_UPDATE
 *   placed   close of the ordinary descriptor; then CONNECT
 *   tried    the attempt has its connection, or failed
 * </pre>
 *
 * Loop-confined.
 */
final class UringConnects {
    private static final long ALLOC = 0xffff_ffffL; // IORING_FILE_INDEX_ALLOC, here of 32 bits

    private final IdTable<Step> steps = new IdTable<>();
    private int sequence;

    /** How far an attempt is, and the memory that the kernel reads and writes meanwhile. */
    private static final class Step {
        int number;
        final int sequence;
        final PendingConnect attempt;
        final Ring ring;
        final int descriptor;
        final Arena arena = Arena.ofConfined();
        final MemorySegment address;
        final MemorySegment place; // the descriptor, for which the kernel leaves a slot there
        boolean connecting;
        boolean givenUp;

        Step(int sequence, PendingConnect attempt, Ring ring, int descriptor) throws IOException {
            this.sequence = sequence;
            this.attempt = attempt;
            this.ring = ring;
            this.descriptor = descriptor;
            try {
                this.address = SocketAddresses.toNative(attempt.to.address(), arena);
                this.place = arena.allocateFrom(JAVA_INT, descriptor);
            } catch (IOException | RuntimeException e) {
                arena.close();
                throw e;
            }
        }

        long about(int kind) {
            return Uring.userData(kind, sequence, number);
        }

        int slot() {
            return place.get(JAVA_INT, 0);
        }
    }

    void begin(PendingConnect attempt, Ring ring) throws IOException {
        int descriptor = LinuxSockets.outgoing(attempt.to.address(), attempt.to.source());
        Step step;
        try {
            step = new Step(++sequence & 0xff_ffff, attempt, ring, descriptor);
        } catch (IOException | RuntimeException e) {
            Linux.close(descriptor);
            throw e;
        }
        step.number = steps.add(step);
        attempt.handle = step;
        ring.connections++;
        long about = step.about(Uring.PLACED);
        long entry = ring.entry(Ring.FILES_UPDATE, 0, -1, step.place.address(), 1, 0, about);
        Ring.offset(entry, ALLOC);
    }

    /** The socket is in the table, unless that is full. */
    void placed(int number, int sequence, int result) {
        Step step = find(number, sequence);
        if (step == null) {
            return;
        }
        Linux.close(step.descriptor);
        if (result != 1) {
            forget(step);
            step.ring.connections--;
            step.attempt.failed(Linux.reason(result < 0 ? -result : Linux.ENFILE));
        } else if (step.givenUp) {
            drop(step, Linux.ECANCELED);
        } else {
            step.connecting = true;
            long about = step.about(Uring.TRIED);
            long address = step.address.address();
            long entry =
                    step.ring.entry(
                            Ring.CONNECT, Ring.FIXED_FILE, step.slot(), address, 0, 0, about);
            Ring.offset(entry, step.address.byteSize());
        }
    }

    /** It is connected, or will not be. */
    void tried(int number, int sequence, int result) {
        Step step = find(number, sequence);
        if (step == null) {
            return;
        }
        if (result < 0) {
            drop(step, -result);
            return;
        }
        int slot = step.slot();
        forget(step);
        Connection connection = step.attempt.connection(step.ring, slot);
        step.ring.put(connection);
        step.attempt.connected(connection);
    }

    void giveUp(PendingConnect attempt) {
        if (attempt.handle instanceof Step step) {
            step.givenUp = true;
            if (step.connecting) {
                Uring.cancel(step.ring, step.about(Uring.TRIED));
            }
        }
    }

    /** The one that an operation was about; null when it is over. */
    private Step find(int number, int sequence) {
        Step step = steps.get(number);
        return step != null && step.sequence == sequence ? step : null;
    }

    private void drop(Step step, int errno) {
        Uring.closeSlot(step.ring, step.slot());
        step.ring.connections--;
        forget(step);
        step.attempt.failed(Linux.reason(errno));
    }

    private void forget(Step step) {
        step.arena.close();
        step.attempt.handle = null;
        steps.remove(step.number);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

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
final class UringAttempts {
    private static final long ALLOC = 0xffff_ffffL; // IORING_FILE_INDEX_ALLOC, here of 32 bits

    private final List<Step> steps = new ArrayList<>(); // by number, which completions carry
    private final List<Integer> free = new ArrayList<>();

    /** How far an attempt is, and the memory that the kernel reads and writes meanwhile. */
    private static final class Step {
        final int number;
        final Attempt attempt;
        final Ring ring;
        final int descriptor;
        final Arena arena = Arena.ofConfined();
        final MemorySegment address;
        final MemorySegment place; // the descriptor, for which the kernel leaves a slot there
        boolean connecting;
        boolean givenUp;

        Step(int number, Attempt attempt, Ring ring, int descriptor) throws IOException {
            this.number = number;
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

        int slot() {
            return place.get(JAVA_INT, 0);
        }
    }

    void begin(Attempt attempt, Ring ring) throws IOException {
        int number = free.isEmpty() ? steps.size() : free.getLast();
        int descriptor = LinuxSockets.outgoing(attempt.to);
        Step step;
        try {
            step = new Step(number, attempt, ring, descriptor);
        } catch (IOException | RuntimeException e) {
            Linux.close(descriptor);
            throw e;
        }
        if (number == steps.size()) {
            steps.add(step);
        } else {
            free.removeLast();
            steps.set(number, step);
        }
        attempt.place = step;
        ring.connections++;
        long about = Uring.userData(Uring.PLACED, number);
        long entry = ring.entry(Ring.FILES_UPDATE, 0, -1, step.place.address(), 1, 0, about);
        Ring.offset(entry, ALLOC);
    }

    /** The socket is in the table, unless that is full. */
    void placed(int number, int result) {
        Step step = steps.get(number);
        Linux.close(step.descriptor);
        if (result != 1) {
            forget(step);
            step.ring.connections--;
            step.attempt.failed(Linux.reason(result < 0 ? -result : Linux.ENFILE));
        } else if (step.givenUp) {
            drop(step, Linux.ECANCELED);
        } else {
            step.connecting = true;
            long about = Uring.userData(Uring.TRIED, number);
            long address = step.address.address();
            long entry =
                    step.ring.entry(
                            Ring.CONNECT, Ring.FIXED_FILE, step.slot(), address, 0, 0, about);
            Ring.offset(entry, step.address.byteSize());
        }
    }

    /** It is connected, or will not be. */
    void tried(int number, int result) {
        Step step = steps.get(number);
        if (result < 0) {
            drop(step, -result);
            return;
        }
        int slot = step.slot();
        forget(step);
        Connection connection = step.attempt.connection(step.ring, slot);
        step.ring.table[slot] = connection;
        step.attempt.connected(connection);
    }

    void giveUp(Attempt attempt) {
        if (attempt.place instanceof Step step) {
            step.givenUp = true;
            if (step.connecting) {
                Uring.cancel(step.ring, Uring.userData(Uring.TRIED, step.number));
            }
        }
    }

    private void drop(Step step, int errno) {
        Uring.closeSlot(step.ring, step.slot());
        step.ring.connections--;
        forget(step);
        step.attempt.failed(Linux.reason(errno));
    }

    private void forget(Step step) {
        step.arena.close();
        step.attempt.place = null;
        steps.set(step.number, null);
        free.add(step.number);
    }
}

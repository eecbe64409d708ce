// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.linux.SocketAddresses;
import io.sirocco.net.transport.ConnectingSocket;
import io.sirocco.net.transport.TransportConnect;
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

    /** The progress of one attempt, and the memory that the kernel reads and writes meanwhile. */
    private static final class Step {
        int number;
        final int sequence;
        final TransportConnect attempt;
        final UringTable table;
        final int descriptor;
        final Arena arena = Arena.ofConfined();
        final MemorySegment address;
        final MemorySegment place; // the descriptor, for which the kernel leaves a slot there
        boolean connecting;
        boolean cancelled;

        Step(int sequence, TransportConnect attempt, UringTable table, int descriptor)
                throws IOException {
            this.sequence = sequence;
            this.attempt = attempt;
            this.table = table;
            this.descriptor = descriptor;
            try {
                this.address = SocketAddresses.toNative(attempt.to().address(), arena);
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

    ConnectingSocket begin(TransportConnect attempt, UringTable table) throws IOException {
        int descriptor = LinuxSockets.outgoing(attempt.to().address(), attempt.to().source());
        Step step;
        try {
            step = new Step(++sequence & 0xff_ffff, attempt, table, descriptor);
        } catch (IOException | RuntimeException e) {
            Linux.close(descriptor);
            throw e;
        }
        step.number = steps.add(step);
        table.used++;
        long about = step.about(Uring.PLACED);
        long entry = table.ring.entry(Ring.FILES_UPDATE, 0, -1, step.place.address(), 1, 0, about);
        Ring.offset(entry, ALLOC);
        return () -> cancel(step);
    }

    /** Takes the outcome of the first step: the socket is in the table, unless that is full. */
    void placed(int number, int sequence, int result) {
        Step step = find(number, sequence);
        if (step == null) {
            return;
        }
        Linux.close(step.descriptor);
        if (result != 1) {
            forget(step);
            step.table.used--;
            step.attempt.failed(Linux.reason(result < 0 ? -result : Linux.ENFILE));
        } else if (step.cancelled) {
            drop(step, Linux.ECANCELED);
        } else {
            step.connecting = true;
            long about = step.about(Uring.TRIED);
            long address = step.address.address();
            long entry =
                    step.table.ring.entry(
                            Ring.CONNECT, Ring.FIXED_FILE, step.slot(), address, 0, 0, about);
            Ring.offset(entry, step.address.byteSize());
        }
    }

    /** Takes the outcome of the second step: the socket is connected, or will not be. */
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
        var connection = new UringConnection(step.attempt.origin(), step.table, slot);
        step.attempt.connected(connection);
    }

    /** Releases what is left when the loop has died; the rings are closed. */
    void close() {
        for (Step step : steps.all()) {
            if (!step.connecting) {
                Linux.close(step.descriptor); // else the table has it alone
            }
            forget(step);
        }
    }

    private static void cancel(Step step) {
        step.cancelled = true;
        if (step.connecting) {
            step.table.ring.cancel(step.about(Uring.TRIED));
        }
    }

    /** Returns the attempt that an operation was about; null when it is over. */
    private Step find(int number, int sequence) {
        Step step = steps.get(number);
        return step != null && step.sequence == sequence ? step : null;
    }

    private void drop(Step step, int errno) {
        step.table.closeSlot(step.slot());
        step.table.used--;
        forget(step);
        step.attempt.failed(Linux.reason(errno));
    }

    private void forget(Step step) {
        step.arena.close();
        steps.remove(step.number);
    }
}

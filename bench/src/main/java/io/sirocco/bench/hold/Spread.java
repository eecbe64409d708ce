// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import com.sun.management.UnixOperatingSystemMXBean;
import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * The connections of a plan, spread over as many processes as they need: on io_uring over one, on
 * epoll and NIO over as many as the limit of open files asks for. Used by one thread.
 *
 * @param transport how all of them talk to the kernel
 */
record Spread(List<Part> parts, TransportKind transport) implements AutoCloseable {
    /** Open files that a process needs beside its connections. */
    private static final int OTHER_FILES = 200;

    /**
     * Starts the processes; connections are opened from {@link #begin} on.
     *
     * @throws IOException when the transport cannot be had
     */
    static Spread start(HoldPlan plan) throws IOException {
        TransportKind transport = transport(plan);
        long room =
                transport == TransportKind.IO_URING ? Long.MAX_VALUE : openFiles() - OTHER_FILES;
        int processes = Math.max(plan.processes, needed(plan.connections, room));
        List<Share> shares = Share.of(plan, processes, transport);
        var spread = new Spread(new ArrayList<>(), transport);
        try {
            for (Share share : shares) {
                spread.parts.add(processes == 1 ? OwnPart.start(share) : ChildPart.start(share));
            }
            return spread;
        } catch (IOException e) {
            spread.close();
            throw e;
        }
    }

    /** Processes for so many connections, of which each holds {@code room}. */
    static int needed(int connections, long room) {
        return (int) Math.ceilDiv(connections, Math.max(1, room));
    }

    private static TransportKind transport(HoldPlan plan) throws IOException {
        try (Loops probe = Loops.start(s -> s.loops(1).transport(plan.transport))) {
            return probe.all().getFirst().transport();
        }
    }

    private static long openFiles() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount()
                : Long.MAX_VALUE;
    }

    void begin() throws IOException {
        for (Part part : parts) {
            part.begin();
        }
    }

    void rest() throws IOException {
        for (Part part : parts) {
            part.rest();
        }
    }

    /** How all of them stand together. */
    Report report() throws IOException {
        Report sum = null;
        for (Part part : parts) {
            Report report = part.report();
            sum = sum == null ? report : sum.plus(report);
        }
        return sum;
    }

    /** Bytes that live on the heaps, after a collection. */
    long liveHeap() throws IOException {
        long bytes = 0;
        for (Part part : parts) {
            bytes += part.liveHeap();
        }
        return bytes;
    }

    Processes processes() {
        return new Processes(parts.stream().map(Part::pid).toList());
    }

    @Override
    public void close() {
        parts.forEach(Part::end);
        parts.forEach(Part::close);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.linux.SystemMemory;

/** How many connections the memory of this machine or container has room for. Any thread. */
final class MachineMemory {
    /** Bytes of heap that an idle connection on io_uring or epoll may take; it takes some 125. */
    private static final int HEAP_EACH = 256;

    /** A channel of the JDK and its key are larger. */
    private static final int HEAP_EACH_NIO = 1 << 10;

    private MachineMemory() {}

    /** Returns how many idle connections there may be at once. */
    static int connections(TransportKind transport) {
        return connections(transport, Runtime.getRuntime().maxMemory(), SystemMemory.total());
    }

    static int connections(TransportKind transport, long heap, long machine) {
        int each = transport == TransportKind.NIO ? HEAP_EACH_NIO : HEAP_EACH;
        long rest = Math.max(machine - heap, machine / 8);
        long most = Math.min(heap / 2 / each, rest / 2 / SystemMemory.BYTES_OF_A_CONNECTION);
        return Math.clamp(most, 1, Integer.MAX_VALUE);
    }
}

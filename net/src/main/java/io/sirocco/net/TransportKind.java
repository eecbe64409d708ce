// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/** The ways in which a loop talks to the kernel. Immutable. */
public enum TransportKind {
    /** io_uring where the kernel and the container allow it, otherwise epoll, otherwise NIO. */
    AUTO("auto"),
    /**
     * io_uring, through the foreign-function API, on Linux 6.8 or later; sockets are direct
     * descriptors.
     */
    IO_URING("io_uring"),
    /** epoll, through the foreign-function API, on Linux: also where io_uring is forbidden. */
    EPOLL("epoll"),
    /** {@code java.nio}, on all systems. */
    NIO("nio");

    private final String label;

    TransportKind(String label) {
        this.label = label;
    }

    /** Returns the name that the command line and the configuration file use. */
    public String label() {
        return label;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/** How a loop talks to the kernel. */
public enum TransportKind {
    /** io_uring where the kernel and the container allow it, else NIO. */
    AUTO("auto"),
    /** Linux 6.8 or later, through the foreign-function API; sockets are direct descriptors. */
    IO_URING("io_uring"),
    /** {@code java.nio}: everywhere. */
    NIO("nio");

    private final String label;

    TransportKind(String label) {
        this.label = label;
    }

    /** The name used on the command line and in the configuration file. */
    public String label() {
        return label;
    }
}

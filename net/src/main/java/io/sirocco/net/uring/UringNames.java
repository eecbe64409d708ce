// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.linux.SocketAddresses;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/**
 * Asks the kernel for the addresses of direct descriptors, and waits for the result, which comes at
 * once. Loop-confined.
 */
final class UringNames {
    private static final int GETSOCKOPT = 2; // SOCKET_URING_OP_GETSOCKOPT
    private static final int SO_TYPE = 3;
    private static final int SO_PEERNAME = 28;
    private static final int INET6 = 28; // bytes of an address of IPv6

    private final MemorySegment peerName;
    private int questions;

    UringNames(Arena arena) {
        peerName = arena.allocate(INET6, 8);
    }

    /**
     * Asks a socket for an option by {@code ring}: a probe tells of operations, not of the commands
     * of one.
     *
     * @throws IOException when the kernel cannot do that by a ring
     */
    void requireSocketOptions(Ring ring) throws IOException {
        int socket =
                (int) LinuxSockets.check("socket", Linux.socket(Linux.AF_UNIX, Linux.SOCK_STREAM));
        try {
            if (getOption(ring, 0, socket, SO_TYPE, 4) != 4 || Ring.takenToMiss("GETSOCKOPT")) {
                throw Ring.missing("URING_CMD with GETSOCKOPT", "6.7");
            }
        } finally {
            Linux.close(socket);
        }
    }

    /** Returns the peer's address; asks the ring, which needs no descriptor of the process. */
    SocketAddress remote(Ring ring, int slot) {
        int length = askPeer(ring, slot, Uring.INET); // of others than IPv4 only the first part
        int family = length == Uring.INET ? family(peerName) : Linux.AF_UNIX;
        if (family == Linux.AF_INET6) {
            length = askPeer(ring, slot, INET6);
        }
        return family == Linux.AF_UNIX || length < 0
                ? name(ring, slot, true)
                : SocketAddresses.toJava(peerName, length);
    }

    private static int family(MemorySegment address) {
        return Short.toUnsignedInt(address.get(JAVA_SHORT, 0));
    }

    /** Returns our end's address. */
    SocketAddress local(Ring ring, int slot) {
        return name(ring, slot, false);
    }

    /** Has the first {@code length} bytes of it written to {@link #peerName}. */
    private int askPeer(Ring ring, int slot, int length) {
        return getOption(ring, Ring.FIXED_FILE, slot, SO_PEERNAME, length);
    }

    /** Has {@code length} bytes of an option of a socket written to {@link #peerName}. */
    private int getOption(Ring ring, int flags, int socket, int option, int length) {
        long about = Uring.userData(Uring.NAMED, ++questions, socket);
        long name = (long) option << 32 | Linux.SOL_SOCKET;
        long entry = ring.entry(Ring.URING_CMD, flags, socket, name, 0, 0, about);
        Ring.offset(entry, GETSOCKOPT);
        Ring.fileIndex(entry, length); // here the length of the option
        Ring.address3(entry, peerName.address());
        return ring.await(about);
    }

    /** By an ordinary descriptor, which is closed at once. */
    private SocketAddress name(Ring ring, int slot, boolean ofPeer) {
        long about = Uring.userData(Uring.BORROWED, ++questions, slot);
        ring.entry(Ring.FIXED_FD_INSTALL, Ring.FIXED_FILE, slot, 0, 0, 0, about);
        int descriptor = ring.await(about);
        if (descriptor >= 0) {
            try {
                return LinuxSockets.name(descriptor, ofPeer);
            } catch (IOException e) {
                // it is gone already
            } finally {
                Linux.close(descriptor);
            }
        }
        return UnixDomainSocketAddress.of("");
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.linux;

import io.sirocco.net.limit.Ip;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;

/** Opens, binds and names sockets of Linux by their descriptors. Any thread. */
public final class LinuxSockets {
    /**
     * Bytes that the kernel may take over from us and not send yet. Left to itself it takes
     * megabytes for each client that does not read, until all of the machine's TCP is out of
     * memory. NIO has no such option, and uses a send buffer of twice the size.
     */
    public static final int NOTSENT_LOW_WATER = 128 << 10;

    /**
     * Bytes that the kernel may take over of a file instead: they are the pages that are in memory
     * anyway, and the more it may take at once, the more seldom we are woken.
     */
    public static final int FILE_NOTSENT_LOW_WATER = 8 << 20;

    private LinuxSockets() {}

    /**
     * Opens a socket that listens on {@code address}.
     *
     * @param shared whether other sockets may listen on the address, too, and the kernel spreads
     *     connections over them
     * @param type {@link Linux#SOCK_NONBLOCK} for calls, 0 for a ring, whose operations would not
     *     wait else
     */
    public static int listen(SocketAddress address, int backlog, boolean shared, int type)
            throws IOException {
        int descriptor = open(address, Linux.SOCK_STREAM | type);
        try (Arena scratch = Arena.ofConfined()) {
            if (address instanceof InetSocketAddress) { // connections inherit what is set here
                set(descriptor, Linux.SOL_SOCKET, Linux.SO_REUSEADDR, 1);
                quicken(descriptor);
                if (shared) {
                    set(descriptor, Linux.SOL_SOCKET, Linux.SO_REUSEPORT, 1);
                }
            }
            String what = "cannot listen on " + Ip.text(address);
            check(what, Linux.bind(descriptor, SocketAddresses.toNative(address, scratch)));
            check(what, Linux.listen(descriptor, backlog));
            return descriptor;
        } catch (IOException e) {
            Linux.close(descriptor);
            throw e;
        }
    }

    /** Opens a socket that is to connect to {@code to}, bound to {@code source} if there is one. */
    public static int outgoing(SocketAddress to, Optional<InetAddress> source) throws IOException {
        int descriptor = open(to, Linux.SOCK_STREAM | Linux.SOCK_NONBLOCK);
        try (Arena scratch = Arena.ofConfined()) {
            if (to instanceof InetSocketAddress) {
                quicken(descriptor);
            }
            if (source.isPresent()) {
                // the kernel picks the port when both ends are known, so each pair has all of them
                Linux.setOption(descriptor, Linux.IPPROTO_IP, Linux.IP_BIND_ADDRESS_NO_PORT, 1);
                var from = new InetSocketAddress(source.get(), 0);
                MemorySegment where = SocketAddresses.toNative(from, scratch);
                String what = "cannot use the address " + from.getHostString();
                check(what, Linux.bind(descriptor, where));
            }
            return descriptor;
        } catch (IOException e) {
            Linux.close(descriptor);
            throw e;
        }
    }

    /**
     * Opens a UDP socket that is bound to {@code address}.
     *
     * @param broadcast whether it may send to broadcast addresses
     * @param reuse whether other such sockets may be bound to the address, too
     */
    public static int datagrams(InetSocketAddress address, boolean broadcast, boolean reuse)
            throws IOException {
        int descriptor = open(address, Linux.SOCK_DGRAM);
        try (Arena scratch = Arena.ofConfined()) {
            if (broadcast) {
                set(descriptor, Linux.SOL_SOCKET, Linux.SO_BROADCAST, 1);
            }
            if (reuse) {
                set(descriptor, Linux.SOL_SOCKET, Linux.SO_REUSEADDR, 1);
            }
            MemorySegment where = SocketAddresses.toNative(address, scratch);
            check("cannot bind " + Ip.text(address), Linux.bind(descriptor, where));
            return descriptor;
        } catch (IOException e) {
            Linux.close(descriptor);
            throw e;
        }
    }

    private static int open(SocketAddress address, int type) throws IOException {
        int family = SocketAddresses.family(address);
        int descriptor = (int) check("socket", Linux.socket(family, type));
        if (family == Linux.AF_INET6) {
            Linux.setOption(descriptor, Linux.IPPROTO_IPV6, Linux.IPV6_V6ONLY, 0);
        }
        return descriptor;
    }

    private static void set(int descriptor, int level, int option, int value) throws IOException {
        check("socket option " + option, Linux.setOption(descriptor, level, option, value));
    }

    /** Returns the address that the socket is bound to. */
    public static SocketAddress local(int descriptor) throws IOException {
        return name(descriptor, false);
    }

    /** Sends small segments without delay, and bounds what the kernel keeps unsent. */
    private static void quicken(int descriptor) throws IOException {
        set(descriptor, Linux.IPPROTO_TCP, Linux.TCP_NODELAY, 1);
        set(descriptor, Linux.IPPROTO_TCP, Linux.TCP_NOTSENT_LOWAT, NOTSENT_LOW_WATER);
    }

    /** Returns the address of the socket or, if {@code ofPeer}, that of its peer. */
    public static SocketAddress name(int descriptor, boolean ofPeer) throws IOException {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment into = scratch.allocate(SocketAddresses.MAX_SIZE, 8);
            long length = Linux.name(descriptor, ofPeer, into);
            return SocketAddresses.toJava(into, (int) check("asking for an address", length));
        }
    }

    /** Returns {@code result}, or throws if it says that the call has failed. */
    public static long check(String what, long result) throws IOException {
        if (result < 0) {
            throw Linux.failure(what, result);
        }
        return result;
    }
}

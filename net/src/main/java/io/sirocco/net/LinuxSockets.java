// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.SocketAddresses;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Sockets of Linux by their descriptors: made, bound, asked for their addresses. Any thread. */
final class LinuxSockets {
    private LinuxSockets() {}

    /**
     * A socket that listens on {@code address}.
     *
     * @param shared whether other sockets may listen on it, too, and the kernel spreads what comes
     */
    static int listen(SocketAddress address, int backlog, boolean shared) throws IOException {
        int descriptor = open(address, Linux.SOCK_STREAM);
        try (Arena scratch = Arena.ofConfined()) {
            if (address instanceof InetSocketAddress) { // connections inherit what is set here
                set(descriptor, Linux.SOL_SOCKET, Linux.SO_REUSEADDR, 1);
                quicken(descriptor);
                if (shared) {
                    set(descriptor, Linux.SOL_SOCKET, Linux.SO_REUSEPORT, 1);
                }
            }
            String what = "cannot listen on " + SocketAddresses.show(address);
            check(what, Linux.bind(descriptor, SocketAddresses.toNative(address, scratch)));
            check(what, Linux.listen(descriptor, backlog));
            return descriptor;
        } catch (IOException e) {
            Linux.close(descriptor);
            throw e;
        }
    }

    /** A socket that is to be connected, bound where that was asked for. */
    static int outgoing(Destination to) throws IOException {
        int descriptor = open(to.address(), Linux.SOCK_STREAM | Linux.SOCK_NONBLOCK);
        try (Arena scratch = Arena.ofConfined()) {
            if (to.address() instanceof InetSocketAddress) {
                quicken(descriptor);
            }
            if (to.source().isPresent()) {
                // the port is found when both ends are known, so that each pair has all of them
                Linux.setOption(descriptor, Linux.IPPROTO_IP, Linux.IP_BIND_ADDRESS_NO_PORT, 1);
                var source = new InetSocketAddress(to.source().get(), 0);
                MemorySegment where = SocketAddresses.toNative(source, scratch);
                String from = "cannot use the address " + source.getHostString();
                check(from, Linux.bind(descriptor, where));
            }
            return descriptor;
        } catch (IOException e) {
            Linux.close(descriptor);
            throw e;
        }
    }

    /** A UDP socket that is bound to {@code address}. */
    static int datagrams(InetSocketAddress address) throws IOException {
        int descriptor = open(address, Linux.SOCK_DGRAM);
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment where = SocketAddresses.toNative(address, scratch);
            check("cannot bind " + SocketAddresses.show(address), Linux.bind(descriptor, where));
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

    /** The address that the socket is bound to. */
    static SocketAddress local(int descriptor) throws IOException {
        return name(descriptor, false);
    }

    /** No delay for small segments, and no more in the kernel than it needs to keep busy. */
    private static void quicken(int descriptor) throws IOException {
        set(descriptor, Linux.IPPROTO_TCP, Linux.TCP_NODELAY, 1);
        set(descriptor, Linux.IPPROTO_TCP, Linux.TCP_NOTSENT_LOWAT, Connection.NOTSENT_LOW_WATER);
    }

    /** The address that the socket is bound to, or {@code ofPeer} the one it is connected to. */
    static SocketAddress name(int descriptor, boolean ofPeer) throws IOException {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment into = scratch.allocate(SocketAddresses.MAX_SIZE, 8);
            long length = Linux.name(descriptor, ofPeer, into);
            return SocketAddresses.toJava(into, (int) check("asking for an address", length));
        }
    }

    /** Passes a result on, unless it says that the call failed. */
    static long check(String what, long result) throws IOException {
        if (result < 0) {
            throw Linux.failure(what, result);
        }
        return result;
    }
}

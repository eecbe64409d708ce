// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Java's addresses as the kernel's {@code struct sockaddr_*}, and back. Any thread. */
public final class SocketAddresses {
    /** Large enough for any of them. */
    public static final int MAX_SIZE = 112;

    private static final int UNIX_PATH = 2;
    private static final int UNIX_PATH_MAX = 107;
    private static final ValueLayout.OfShort NETWORK_SHORT =
            JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private SocketAddresses() {}

    public static int family(SocketAddress address) {
        if (address instanceof UnixDomainSocketAddress) {
            return Linux.AF_UNIX;
        }
        return internet(address).getAddress() instanceof Inet6Address
                ? Linux.AF_INET6
                : Linux.AF_INET;
    }

    public static MemorySegment toNative(SocketAddress address, Arena arena) throws IOException {
        return address instanceof UnixDomainSocketAddress unix
                ? unix(unix, arena)
                : inet(internet(address), arena);
    }

    private static InetSocketAddress internet(SocketAddress address) {
        if (address instanceof InetSocketAddress inet) {
            return inet;
        }
        throw new IllegalArgumentException(
                "neither an Internet nor a Unix-domain address: " + address);
    }

    private static MemorySegment unix(UnixDomainSocketAddress address, Arena arena)
            throws IOException {
        byte[] path = address.getPath().toString().getBytes(StandardCharsets.UTF_8);
        if (path.length > UNIX_PATH_MAX) {
            throw new IOException(
                    "the path of a Unix-domain socket has at most "
                            + UNIX_PATH_MAX
                            + " bytes: "
                            + address.getPath());
        }
        MemorySegment into = arena.allocate(UNIX_PATH + path.length + 1, 8);
        into.set(JAVA_SHORT, 0, (short) Linux.AF_UNIX);
        MemorySegment.copy(path, 0, into, JAVA_BYTE, UNIX_PATH, path.length);
        return into;
    }

    private static MemorySegment inet(InetSocketAddress address, Arena arena) throws IOException {
        if (address.isUnresolved()) {
            throw new UnknownHostException("cannot resolve " + address.getHostString());
        }
        byte[] ip = address.getAddress().getAddress();
        boolean six = ip.length == 16;
        MemorySegment into = arena.allocate(six ? 28 : 16, 8);
        into.set(JAVA_SHORT, 0, (short) (six ? Linux.AF_INET6 : Linux.AF_INET));
        into.set(NETWORK_SHORT, 2, (short) address.getPort());
        MemorySegment.copy(ip, 0, into, JAVA_BYTE, six ? 8 : 4, ip.length);
        if (six) {
            into.set(JAVA_INT_UNALIGNED, 24, ((Inet6Address) address.getAddress()).getScopeId());
        }
        return into;
    }

    public static SocketAddress toJava(MemorySegment from, int length) {
        int family = length < 2 ? Linux.AF_UNIX : from.get(JAVA_SHORT, 0);
        if (family == Linux.AF_UNIX) {
            int end = UNIX_PATH;
            while (end < length && from.get(JAVA_BYTE, end) != 0) {
                end++;
            }
            byte[] path = from.asSlice(0, Math.max(end, UNIX_PATH)).toArray(JAVA_BYTE);
            return UnixDomainSocketAddress.of(
                    new String(path, UNIX_PATH, end - UNIX_PATH, StandardCharsets.UTF_8));
        }
        boolean six = family == Linux.AF_INET6;
        byte[] ip = from.asSlice(six ? 8 : 4, six ? 16 : 4).toArray(JAVA_BYTE);
        int scope = six ? from.get(JAVA_INT_UNALIGNED, 24) : 0;
        try {
            InetAddress address =
                    scope != 0
                            ? Inet6Address.getByAddress(null, ip, scope)
                            : InetAddress.getByAddress(ip); // ::ffff:a.b.c.d becomes a.b.c.d
            return new InetSocketAddress(address, from.get(NETWORK_SHORT, 2) & 0xffff);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}

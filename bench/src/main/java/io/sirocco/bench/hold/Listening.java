// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the processes that have a listening socket open, by its inode in /proc/net/tcp or udp and
 * in /proc/PID/fd. Linux only. Any thread.
 */
final class Listening {
    private static final Table TCP = new Table("tcp", "0A"); // LISTEN
    private static final Table UDP = new Table("udp", "07"); // a socket that is not connected

    /** The table of a protocol, and the state of a socket there that listens. */
    private record Table(String protocol, String state) {
        List<Path> files() {
            return List.of(Path.of("/proc/net", protocol), Path.of("/proc/net", protocol + "6"));
        }
    }

    /** A listening socket; its address may stand for all of the machine's. */
    private record Socket(InetAddress address, long inode) {}

    private Listening() {}

    /** All that have it open; empty when there is none, or it is another machine's. */
    static Optional<Processes> on(InetSocketAddress address) {
        return on(address, TCP);
    }

    /** The same for a UDP socket. */
    static Optional<Processes> onUdp(InetSocketAddress address) {
        return on(address, UDP);
    }

    private static Optional<Processes> on(InetSocketAddress address, Table table) {
        try {
            if (!isLocal(address.getAddress())) {
                return Optional.empty();
            }
            Set<Long> inodes = inodes(address, table);
            List<Long> pids = inodes.isEmpty() ? List.of() : holding(inodes);
            return pids.isEmpty() ? Optional.empty() : Optional.of(new Processes(pids));
        } catch (IOException | DirectoryIteratorException e) {
            return Optional.empty();
        }
    }

    private static boolean isLocal(InetAddress address) throws IOException {
        return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    }

    /** Of the sockets bound to the very address, or else of those bound to all. */
    private static Set<Long> inodes(InetSocketAddress address, Table table) throws IOException {
        var exact = new HashSet<Long>();
        var any = new HashSet<Long>();
        for (Path file : table.files()) {
            for (Socket socket : sockets(file, table.state, address.getPort())) {
                if (socket.address.equals(address.getAddress())) {
                    exact.add(socket.inode);
                } else if (socket.address.isAnyLocalAddress()) {
                    any.add(socket.inode);
                }
            }
        }
        return exact.isEmpty() ? any : exact;
    }

    /** The table may have a line for each of a million connections. */
    private static List<Socket> sockets(Path table, String state, int port) throws IOException {
        var sockets = new ArrayList<Socket>();
        String bound = ":%04X".formatted(port);
        try (var lines = Files.lines(table)) {
            for (String line : (Iterable<String>) lines.skip(1)::iterator) {
                String[] fields = line.strip().split("\\s+", 11);
                if (fields[3].equals(state) && fields[1].endsWith(bound)) {
                    String hex = fields[1].substring(0, fields[1].indexOf(':'));
                    sockets.add(new Socket(address(hex), Long.parseLong(fields[9])));
                }
            }
        }
        return sockets;
    }

    /** Words of four bytes, each as a number of this machine. */
    static InetAddress address(String hex) throws UnknownHostException {
        byte[] bytes = HexFormat.of().parseHex(hex);
        var words = ByteBuffer.wrap(bytes);
        for (int i = 0; i < bytes.length; i += 4) {
            words.order(ByteOrder.BIG_ENDIAN);
            int word = words.getInt(i);
            words.order(ByteOrder.nativeOrder()).putInt(i, word);
        }
        return InetAddress.getByAddress(bytes);
    }

    private static List<Long> holding(Set<Long> inodes) throws IOException {
        var links = new HashSet<String>();
        inodes.forEach(inode -> links.add("socket:[" + inode + "]"));
        var pids = new ArrayList<Long>();
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                if (holds(process, links)) {
                    pids.add(Long.parseLong(process.getFileName().toString()));
                }
            }
        }
        return List.copyOf(pids);
    }

    private static boolean holds(Path process, Set<String> links) {
        try (var open = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path descriptor : open) {
                if (links.contains(target(descriptor))) {
                    return true;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // it has ended, or is another user's
        }
        return false;
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Measures datagrams: a UDP echo server in a process of its own, and peers that each wait for a
 * response before they send the next request of 48 bytes. Prints the messages per second, and the
 * CPU time of the server's process for each, the kernel's part included. Pin the two to different
 * cores; {@code -Xlog:gc -Xmn16m} of the server shows what it allocates:
 *
 * <pre>
 *   taskset -c 0 java -cp net/target/classes:net/target/test-classes io.sirocco.net.DatagramEcho server IO_URING
 *   taskset -c 1 java -cp ... io.sirocco.net.DatagramEcho peers PORT PID [PEERS [SECONDS [ROUNDS]]]
 * </pre>
 */
final class DatagramEcho {
    private static final int SIZE = 48;
    private static final int TICKS_PER_SECOND = 100; // of /proc/PID/stat: USER_HZ
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private DatagramEcho() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("server")) {
            serve(TransportKind.valueOf(arguments[1]));
        } else {
            int[] numbers = {0, 0, 64, 10, 3};
            for (int i = 1; i < arguments.length; i++) {
                numbers[i - 1] = Integer.parseInt(arguments[i]);
            }
            measure(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
        }
    }

    /** Echoes until standard input ends. */
    private static void serve(TransportKind transport) throws IOException {
        try (Loops loops = Loops.start(s -> s.loops(1).transport(transport))) {
            Datagrams datagrams =
                    loops.datagrams(new InetSocketAddress(LOOPBACK, 0), DatagramEcho::send);
            int port = datagrams.address().getPort();
            System.out.println(port + " " + ProcessHandle.current().pid());
            while (System.in.read() >= 0) {
                // the other end decides
            }
        }
    }

    private static void measure(int port, int pid, int peers, int seconds, int rounds)
            throws Exception {
        var server = new InetSocketAddress(LOOPBACK, port);
        var counts = new long[peers];
        try (Loops loops = Loops.start(s -> s.loops(1).longTurnMillis(0))) {
            List<Datagrams> all = new ArrayList<>();
            for (int i = 0; i < peers; i++) {
                int peer = i;
                all.add(
                        loops.datagrams(
                                new InetSocketAddress(LOOPBACK, 0),
                                (d, bytes, length, from) -> {
                                    counts[peer]++;
                                    send(d, bytes, length, from);
                                }));
            }
            Loop loop = loops.all().getFirst();
            loop.execute(() -> all.forEach(each -> send(each, new byte[SIZE], SIZE, server)));
            Thread.sleep(5_000); // compiled by then
            for (int round = 0; round < rounds; round++) {
                long messages = Arrays.stream(counts).sum();
                long ticks = ticks(pid);
                long begun = System.nanoTime();
                Thread.sleep(seconds * 1_000L);
                double elapsed = (System.nanoTime() - begun) / 1e9;
                ticks = ticks(pid) - ticks;
                messages = Arrays.stream(counts).sum() - messages;
                System.out.printf(
                        "%,9.0f messages/s  %5.2f us of CPU%n",
                        messages / elapsed, ticks * (1e6 / TICKS_PER_SECOND) / messages);
            }
        }
    }

    /** Returns the ticks of user and system time of a process. */
    private static long ticks(int pid) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    private static void send(Datagrams datagrams, byte[] bytes, int length, InetSocketAddress to) {
        try {
            datagrams.send(bytes, length, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

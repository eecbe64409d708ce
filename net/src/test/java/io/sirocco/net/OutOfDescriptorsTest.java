// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that may open 64 files is asked to hold 90 connections. */
@Tag("peers")
@Timeout(60)
class OutOfDescriptorsTest {
    @TempDir Path folder;

    /** The server in the child: an echo that prints its port and ends with its input. */
    static final class Server {
        public static void main(String[] arguments) throws IOException {
            Loops loops =
                    Loops.start(s -> s.loops(1).transport(TransportKind.valueOf(arguments[0])));
            Listener listener = loops.listen(Rig.anyPort(), c -> new Echo());
            System.out.println(listener.port());
            while (System.in.read() >= 0) {
                // until the parent lets go
            }
            System.exit(0);
        }
    }

    @Test
    void theListenerOfNioNeitherDiesNorSpins() throws Exception {
        survives(TransportKind.NIO);
    }

    /** Direct descriptors: its table is full instead, and a further ring takes what it can. */
    @Test
    void theListenerOfIoUringNeitherDiesNorSpins() throws Exception {
        new Rig(TransportKind.IO_URING).close();
        survives(TransportKind.IO_URING);
    }

    @Test
    void theListenerOfEpollNeitherDiesNorSpins() throws Exception {
        survives(TransportKind.EPOLL);
    }

    private void survives(TransportKind transport) throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/self/stat")), "this is not Linux");
        Process child = start(transport);
        try {
            int port = Integer.parseInt(child.inputReader().readLine());
            var served = new ArrayList<Socket>();
            var others = new ArrayList<Socket>();
            for (int i = 0; i < 90; i++) {
                Socket socket = connect(port);
                (isServed(socket, i < 5 ? 5_000 : 30) ? served : others).add(socket);
            }
            assertTrue(served.size() >= 20, () -> "served " + served.size());
            assertTrue(transport == TransportKind.IO_URING || !others.isEmpty());

            long before = ticks(child);
            long until = System.nanoTime() + 1_000_000_000L;
            while (System.nanoTime() < until) {
                isServed(served.getFirst(), 50);
                java.util.concurrent.locks.LockSupport.parkNanos(100_000_000);
            }
            long used = ticks(child) - before;
            assertTrue(used <= 20, () -> used + " of 100 ticks while full");

            for (Socket socket : served.subList(1, served.size() / 2)) {
                socket.close();
            }
            for (Socket socket : others) {
                socket.close();
            }
            assertTrue(servesAgain(port), "it serves again");
            assertTrue(isServed(served.getFirst(), 5_000), "and those it had");
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    private Process start(TransportKind transport) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        String command =
                "ulimit -n 64; exec "
                        + java
                        + " -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp "
                        + jar()
                        + " "
                        + "'"
                        + Server.class.getName()
                        + "'"
                        + " "
                        + transport;
        return new ProcessBuilder("sh", "-c", command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** A jar is open already when descriptors run out; a folder of classes is not. */
    private Path jar() throws IOException {
        Path jar = folder.resolve("server.jar");
        try (OutputStream file = Files.newOutputStream(jar);
                var out = new JarOutputStream(file)) {
            for (Class<?> type : List.of(Loops.class, Server.class)) {
                Path root =
                        Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath());
                try (var classes = Files.walk(root)) {
                    for (Path file2 :
                            classes.filter(f -> f.toString().endsWith(".class")).toList()) {
                        out.putNextEntry(new JarEntry(root.relativize(file2).toString()));
                        Files.copy(file2, out);
                        out.closeEntry();
                    }
                }
            }
        }
        return jar;
    }

    private static Socket connect(int port) throws IOException {
        var socket = new Socket();
        socket.connect(new InetSocketAddress("127.0.0.1", port), 5_000);
        return socket;
    }

    private static boolean isServed(Socket socket, int millis) {
        try {
            socket.setSoTimeout(millis);
            socket.getOutputStream().write('x');
            return socket.getInputStream().read() == 'x';
        } catch (IOException e) {
            return false; // it waits, or was turned away
        }
    }

    private static boolean servesAgain(int port) throws IOException {
        for (int i = 0; i < 20; i++) {
            try (Socket socket = connect(port)) {
                if (isServed(socket, 1_500)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** CPU time of a process, in ticks of 10 ms: fields 14 and 15 of its stat file. */
    private static long ticks(Process process) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;

/** A process whose heap is really full, and stays so: its loops survive, or die without a rest. */
@Tag("peers")
@OnEachTransport
@Timeout(120)
class OutOfHeapTest {
    @Parameter TransportKind transport;

    /** The server in the child: an echo on two loops, which obeys commands of one byte. */
    static final class Server {
        private static final int[] SIZES = {1 << 20, 1 << 16, 1 << 12, 1 << 8, 16};
        private static final Object[] HELD = new Object[1 << 20];
        private static final OutOfMemoryError ERROR = new OutOfMemoryError("a test");

        private static int held;
        private static volatile boolean full;
        private static volatile boolean fault;
        private static volatile int died;

        public static void main(String[] arguments) throws Exception {
            var clock =
                    new Clock() {
                        @Override
                        public long nanos() {
                            if (fault && Thread.currentThread().getName().contains("-loop-")) {
                                throw ERROR;
                            }
                            return System.nanoTime();
                        }

                        @Override
                        public long wallMillis() {
                            return System.currentTimeMillis();
                        }

                        @Override
                        public void onLeap(Runnable wake) {}
                    };
            var observer =
                    new Observer() {
                        @Override
                        public void loopDied(Loop loop, Throwable thrown) {
                            synchronized (HELD) {
                                died++;
                            }
                        }
                    };
            observer.loopDied(null, null); // which links it
            died = 0;
            var kind = TransportKind.valueOf(arguments[0]);
            Loops loops =
                    Loops.start(s -> s.loops(2).transport(kind).clock(clock).observer(observer));
            Listener listener = loops.listen(Rig.anyPort(), c -> new Echo());
            System.out.println(listener.port());
            Thread.ofPlatform().daemon().start(Server::fill);
            for (int command; (command = System.in.read()) >= 0; ) {
                switch (command) {
                    case 'f' -> {
                        full = true;
                        while (held == 0 || HELD[0] != ERROR) {
                            Thread.sleep(10);
                        }
                    }
                    case 'e' -> {
                        full = false;
                        while (held > 0) {
                            Thread.sleep(10);
                        }
                    }
                    case 'k' -> fault = true;
                    default -> {}
                }
                System.out.write('0' + died + (loops.hasFailed() ? 4 : 0));
                System.out.flush();
            }
            System.exit(0);
        }

        /** Takes all heap that there is, and all that becomes free, until it is told to stop. */
        private static void fill() {
            while (true) {
                if (full) {
                    for (int size : SIZES) {
                        take(size);
                    }
                    HELD[0] = ERROR; // nothing was left
                } else {
                    java.util.Arrays.fill(HELD, null);
                    held = 0;
                }
                try {
                    Thread.sleep(10);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private static void take(int size) {
            held = Math.max(held, 1);
            try {
                while (full && held < HELD.length) {
                    HELD[held] = new byte[size];
                    held++;
                }
            } catch (OutOfMemoryError e) {
                // that much is taken
            }
        }
    }

    private Process child;
    private int port;

    private void start() throws IOException {
        new Rig(transport).close(); // is skipped where the kernel has no io_uring
        child =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx48m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "--enable-native-access=ALL-UNNAMED",
                                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Server.class.getName(),
                                transport.name())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        port = 0;
        for (int digit; (digit = child.getInputStream().read()) != '\n'; ) {
            port = port * 10 + digit - '0';
        }
    }

    /** Returns the loops whose death the observer was told, and 4 more if the loops say so. */
    private int ask(char command) throws IOException {
        child.getOutputStream().write(command);
        child.getOutputStream().flush();
        return child.getInputStream().read() - '0';
    }

    private Socket connect() throws IOException {
        var socket = new Socket();
        socket.connect(new InetSocketAddress("127.0.0.1", port), 20_000);
        socket.setSoTimeout(55_000);
        return socket;
    }

    private static boolean isServed(Socket socket) throws IOException {
        try {
            socket.getOutputStream().write('x');
            return socket.getInputStream().read() == 'x';
        } catch (SocketException e) {
            return false; // reset
        }
    }

    /**
     * Heavy, since it fails now and then with io_uring: the process has closed and unmapped its
     * rings, and the kernel keeps their sockets open. Why is not known yet.
     */
    @Test
    @Tag("heavy")
    void loopsThatDieCloseWhatTheyHaveAndSaySo() throws Exception {
        start();
        try {
            var sockets = new ArrayList<Socket>();
            for (int i = 0; i < 16; i++) {
                Socket socket = connect();
                assertTrue(isServed(socket));
                sockets.add(socket);
            }
            assertEquals(0, ask('f'));
            ask('k');
            for (Socket socket : sockets) { // has the loops look at their clock
                socket.getOutputStream().write('x');
            }
            Rig.until("both have died, and said so", () -> state() == 4 + 2);
            if (transport == TransportKind.NIO) { // the JDK needs heap to close a channel
                ask('e');
            }
            for (Socket socket : sockets) {
                assertTrue(isOver(socket));
                socket.close();
            }
            Rig.until("nothing listens", this::isRefused);
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    private int state() {
        try {
            return ask('?');
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A response may have left before the loop died. */
    private static boolean isOver(Socket socket) throws IOException {
        try {
            return socket.getInputStream().readAllBytes().length <= 1;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true;
        }
    }

    private boolean isRefused() {
        try (Socket _ = connect()) {
            return false;
        } catch (ConnectException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Each connection is served, or ended by a loop that has died: none waits for nobody. */
    @Test
    void loopsThatLiveServeOn() throws Exception {
        start();
        try {
            for (int round = 0; round < 3; round++) {
                ask('f');
                List<Socket> during = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    Socket socket = new Socket();
                    try {
                        socket.connect(new InetSocketAddress("127.0.0.1", port), 1_000);
                        socket.setSoTimeout(50);
                        during.add(socket);
                        isServed(socket);
                    } catch (IOException e) {
                        // it may have to wait
                    }
                }
                int failed = ask('e');
                for (Socket socket : during) {
                    socket.close();
                }
                for (int i = 0; i < 50; i++) {
                    boolean served = false;
                    try (Socket socket = connect()) {
                        served = isServed(socket);
                    } catch (ConnectException e) {
                        Rig.until("both have died, and said so", () -> state() == 4 + 2);
                    }
                    assertTrue(served || failed > 0 || state() > 0, "connection " + i);
                }
            }
        } finally {
            child.destroyForcibly().waitFor();
        }
    }
}

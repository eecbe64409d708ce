// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.FreePort;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A channel server with a small heap survives clients that ask for more than it can hold. */
@Tag("peers")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has neither io_uring nor epoll")
class LiveFloodProcessTest {
    private static final int HISTORY_CLIENTS = 8;
    private static final int HISTORY_REQUESTS = 50;
    private static final int ECHO_CLIENTS = 60;
    private static final String TEXT = "x".repeat(15_000);

    @TempDir Path folder;

    /** A client that speaks its frames by hand, and reads when it is told to. */
    private static final class Raw implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;

        Raw(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(60_000);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            String open =
                    "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\n"
                            + "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Version: 13\r\n"
                            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
            socket.getOutputStream().write(open.getBytes(ISO_8859_1));
            for (int end = 0; end < 4; ) {
                int c = in.read();
                if (c < 0) {
                    throw new IOException("no WebSocket");
                }
                end = c == (end % 2 == 0 ? '\r' : '\n') ? end + 1 : c == '\r' ? 1 : 0;
            }
            next();
            send("40");
            next();
        }

        /** Sends a message in one frame whose mask is zero. */
        void send(String text) throws IOException {
            byte[] bytes = text.getBytes(ISO_8859_1);
            ByteBuffer frame = ByteBuffer.allocate(14 + bytes.length).put((byte) 0x81);
            if (bytes.length < 126) {
                frame.put((byte) (0x80 | bytes.length));
            } else if (bytes.length < 1 << 16) {
                frame.put((byte) (0x80 | 126)).putShort((short) bytes.length);
            } else {
                frame.put((byte) (0x80 | 127)).putLong(bytes.length);
            }
            frame.putInt(0).put(bytes);
            socket.getOutputStream().write(frame.array(), 0, frame.position());
        }

        /** Returns how the next message of text begins. */
        String next() throws IOException {
            while (true) {
                int first = in.readUnsignedByte();
                int second = in.readUnsignedByte();
                long length =
                        second < 126
                                ? second
                                : second == 126 ? in.readUnsignedShort() : in.readLong();
                byte[] head = in.readNBytes((int) Math.min(200, length));
                in.skipNBytes(length - head.length);
                if ((first & 15) == 8) {
                    throw new IOException("closed");
                }
                String text = new String(head, ISO_8859_1);
                if ((first & 15) == 1 && !text.equals("2")) {
                    return text;
                }
            }
        }

        String ask(String event) throws IOException {
            send("427" + event);
            return next();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private Child serve(String transport, String heap, String live) throws IOException {
        Path file =
                Files.writeString(
                        folder.resolve("sirocco.toml"),
                        """
                        [[listen]]
                        address = "127.0.0.1:0"
                        [server]
                        transport = "%s"
                        loops = 2
                        drain-timeout = "1s"
                        [admin]
                        address = "127.0.0.1:%d"
                        [live]
                        on = true
                        open = true
                        connects = 0
                        %s
                        """
                                .formatted(transport, FreePort.tcp(), live));
        var options =
                List.of(
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx" + heap,
                        "-XX:+ExitOnOutOfMemoryError");
        return new Child(options, "live", "--config", file.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"io_uring", "epoll", "nio"})
    void historiesThatManyAskForDoNotFillASmallHeap(String transport) throws Exception {
        String keeps = "history = [ { rooms = \"r*\", messages = 1000, age = \"1h\" } ]";
        try (Child child = serve(transport, "64m", keeps);
                var honest = new Raw(child.port())) {
            assertEquals("437[]", honest.ask("[\"join\",\"r1\"]"));
            for (int i = 0; i < 450; i++) { // less than the eighth of the heap for histories
                String event = "[\"publish\",\"r1\",\"e\"," + i + ",\"" + TEXT + "\"]";
                assertEquals("437[]", honest.ask(event));
            }
            var done = new CountDownLatch(HISTORY_CLIENTS);
            var clients = new ArrayList<Raw>();
            for (int i = 0; i < HISTORY_CLIENTS; i++) {
                var client = new Raw(child.port());
                clients.add(client);
                assertEquals("437[]", client.ask("[\"join\",\"r1\"]"));
            }
            for (Raw client : clients) {
                Thread.ofVirtual().start(() -> askForAll(client, done));
            }
            assertTrue(done.await(120, TimeUnit.SECONDS));
            assertTrue(child.isAlive());
            assertTrue(honest.ask("[\"history\",\"r1\",1000]").startsWith("437[[{\"event\""));
            for (Raw client : clients) {
                client.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"io_uring", "epoll", "nio"})
    void answersThatNobodyReadsDoNotFillASmallHeap(String transport) throws Exception {
        var over = new AtomicBoolean();
        var clients = ConcurrentHashMap.<Raw>newKeySet();
        var attackers = new ArrayList<Thread>();
        try (Child child = serve(transport, "48m", "")) {
            int port = child.port();
            String echo = "427[\"echo\",\"" + "x".repeat(900_000) + "\"]";
            for (int i = 0; i < ECHO_CLIENTS; i++) {
                attackers.add(Thread.ofPlatform().start(() -> flood(port, echo, clients, over)));
            }
            int served = 0;
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
            while (served < 100) {
                assertTrue(child.isAlive(), "it has ended");
                assertTrue(System.nanoTime() < end, "nobody is served");
                try (var honest = new Raw(port)) {
                    while (served < 100 && honest.ask("[\"echo\",1]").equals("437[1]")) {
                        served++;
                    }
                } catch (IOException e) {
                    Thread.yield(); // it was refused: memory is short
                }
            }
            over.set(true);
            for (Raw client : clients) {
                client.close();
            }
            for (Thread attacker : attackers) {
                attacker.join();
            }
            assertTrue(child.isAlive(), "it has ended");
        } finally {
            over.set(true);
        }
    }

    private static void flood(int port, String echo, Set<Raw> clients, AtomicBoolean over) {
        while (!over.get()) {
            try (var client = new Raw(port)) {
                clients.add(client);
                while (!over.get()) {
                    client.send(echo);
                }
            } catch (IOException e) {
                Thread.yield(); // it was closed or refused: it comes again
            }
        }
    }

    private static void askForAll(Raw client, CountDownLatch done) {
        try {
            for (int i = 0; i < HISTORY_REQUESTS; i++) {
                client.send("42" + i + "[\"history\",\"r1\",1000]");
            }
            for (int i = 0; i < HISTORY_REQUESTS; i++) {
                client.next();
            }
        } catch (IOException e) {
            // the server has closed it, or has ended
        } finally {
            done.countDown();
        }
    }
}

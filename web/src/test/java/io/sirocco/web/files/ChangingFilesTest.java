// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** What becomes of a response when its file changes while it is sent. */
@OnEachTransport
class ChangingFilesTest {
    private static final int SIZE = 32 << 20;
    private static final int BEGINNING = 100_000;

    @Parameter TransportKind transport;
    @TempDir Path root;
    private Serving serving;
    private Client client;
    private Path file;
    private byte[] content;

    /** A client that has read the head and the beginning, and no more. */
    @BeforeEach
    void begin() throws IOException {
        content = new byte[SIZE];
        new Random(1).nextBytes(content);
        file = Files.write(root.resolve("large.bin"), content);
        Files.writeString(root.resolve("small.txt"), "small");
        serving = Serving.of(transport, root);
        client = new Client(serving.port(), 64 << 10);
        client.send("GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\n");
        while (!client.line().isEmpty()) {
            // the head
        }
        assertArrayEquals(Arrays.copyOf(content, BEGINNING), client.read(BEGINNING));
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        serving.close();
    }

    private byte[] rest() throws IOException {
        return client.read(SIZE - BEGINNING);
    }

    private byte[] expected() {
        return Arrays.copyOfRange(content, BEGINNING, SIZE);
    }

    /** The length was promised; the client must see that it is not all. */
    @Test
    void aFileThatShrinksBreaksTheConnection() throws IOException {
        try (var shrinking = new RandomAccessFile(file.toFile(), "rw")) {
            shrinking.setLength(BEGINNING);
        }
        assertThrows(IOException.class, this::rest);
        assertEquals("small", serving.get("/small.txt").text(), "others are served on");
    }

    @Test
    void aFileThatGrowsIsSentAsLongAsItWas() throws IOException {
        Files.write(file, new byte[1_000], StandardOpenOption.APPEND);
        assertArrayEquals(expected(), rest());
        assertEquals("small", client.ask("GET", "/small.txt").text(), "and nothing behind it");
        serving.age();
        String length = SIZE + 1_000 + "";
        assertEquals(length, client.ask("HEAD", "/large.bin").field("Content-Length"));
    }

    @Test
    void aFileThatIsReplacedIsSentAsItWas() throws IOException {
        Path other = Files.write(root.resolve("other"), new byte[SIZE]);
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        assertArrayEquals(expected(), rest());
        serving.age();
        assertArrayEquals(new byte[SIZE], client.ask("GET", "/large.bin").body());
    }

    @Test
    void aFileThatIsDeletedIsSentToItsEnd() throws IOException {
        Files.delete(file);
        serving.age();
        assertEquals(404, serving.get("/large.bin").status());
        assertArrayEquals(expected(), rest());
    }

    @Test
    void aFileServerThatIsClosedSendsToTheEnd() throws IOException {
        serving.files.close();
        assertArrayEquals(expected(), rest());
    }

    @Test
    void aFileThatIsWrittenAllTheTimeIsServedAllTheSame() throws Exception {
        Path log = root.resolve("busy.log");
        Files.writeString(log, "line\n");
        Thread writer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        while (!Thread.interrupted()) {
                                            Files.writeString(
                                                    log, "line\n", StandardOpenOption.APPEND);
                                        }
                                    } catch (IOException e) {
                                        // interrupted while it writes
                                    }
                                });
        try (var reader = new Client(serving.port())) {
            for (int i = 0; i < 200; i++) {
                var answer = reader.ask("GET", "/busy.log");
                assertEquals(200, answer.status());
                assertTrue(answer.text().startsWith("line\n"), "not torn");
                serving.age();
            }
        } finally {
            writer.interrupt();
            writer.join();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Child;
import io.sirocco.app.Client;
import io.sirocco.testkit.Eventually;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.ConnectException;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The old server cut what was in progress and ended with 143. Here each response comes to its end,
 * and then the process with 0.
 */
@Tag("peers")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no signals")
@Timeout(120)
class SigtermTest {
    private static final long GIGABYTE = 1_000_000_000;
    private static final String GET_IT = "GET /large HTTP/1.1\r\nHost: a\r\n\r\n";

    @TempDir Path folder;

    private String configuration(String server) throws Exception {
        Path site = Files.createDirectories(folder.resolve("site"));
        try (var file = new RandomAccessFile(site.resolve("large").toFile(), "rw")) {
            file.setLength(GIGABYTE); // without a block on the disk
            file.seek(GIGABYTE - 4);
            file.write("last".getBytes(ISO_8859_1));
        }
        Path toml = folder.resolve("sirocco.toml");
        Files.writeString(
                toml,
                """
                [server]
                %s
                [[listen]]
                address = "127.0.0.1:0"
                [[site]]
                root = "site"
                """
                        .formatted(server));
        return toml.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "nio"})
    void aDownloadOfAGigabyteArrivesWholeAndTheCodeIs0(String transport) throws Exception {
        String server = "drain-timeout = \"60s\"\ntransport = \"%s\"".formatted(transport);
        try (var child = new Child("serve", "--config", configuration(server));
                var client = new Client(child.port());
                var idle = new Client(child.port())) {
            assertEquals(404, idle.ask("GET", "/none").status());
            client.send(GET_IT);
            InputStream in = client.in();
            String head = new String(in.readNBytes(1 << 20), ISO_8859_1);
            assertTrue(head.startsWith("HTTP/1.1 200 OK\r\n"), head.substring(0, 100));
            child.signal("TERM");
            assertEquals(-1, idle.in().read(), "who asks for nothing is let go");
            Eventually.await("no more connections", () -> !accepts(child.port()));

            long got = (1 << 20) - head.indexOf("\r\n\r\n") - 4;
            byte[] piece = new byte[1 << 20];
            int n = 0;
            byte[] last = new byte[4];
            while (got < GIGABYTE
                    && (n = in.readNBytes(piece, 0, (int) Math.min(piece.length, GIGABYTE - got)))
                            > 0) {
                got += n;
                if (n >= 4) System.arraycopy(piece, n - 4, last, 0, 4);
            }
            assertEquals(GIGABYTE, got);
            assertEquals("last", new String(last, ISO_8859_1));
            assertEquals(-1, in.read());
            assertEquals(0, child.exitCode());
            String said = child.err();
            assertTrue(said.endsWith("INFO stopped\n"), said);
            // However slow the machine: a loop may have waited for the disk.
            boolean warns =
                    said.lines()
                            .filter(line -> !line.contains(" has been blocked for "))
                            .anyMatch(line -> line.contains("WARNING"));
            assertFalse(warns, said);
        }
    }

    /** The drain is not for ever: whoever does not read is cut, and the process ends in order. */
    @Test
    void whoDoesNotReadIsCutWhenTheDrainIsOver() throws Exception {
        try (var child =
                        new Child("serve", "--config", configuration("drain-timeout = \"300ms\""));
                var client = new Client(child.port())) {
            client.send(GET_IT);
            assertEquals('H', client.in().read());
            child.signal("TERM");
            assertEquals(0, child.exitCode());
        }
    }

    @Test
    void aSecondSigtermEndsItAtOnce() throws Exception {
        try (var child = new Child("serve", "--config", configuration("drain-timeout = \"10m\""));
                var client = new Client(child.port())) {
            client.send(GET_IT);
            assertEquals('H', client.in().read());
            child.signal("TERM");
            Eventually.await("no more connections", () -> !accepts(child.port()));
            child.signal("TERM");
            assertEquals(130, child.exitCode());
        }
    }

    /** Three pieces are sent back as they come, two of them behind the signal. */
    @Test
    void aStreamOfThreePiecesIsComplete() throws Exception {
        try (var child = new Child("serve", "--port", "0");
                var client = new Client(child.port())) {
            client.send(
                    "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n");
            var all = new StringBuilder();
            for (int piece = 1; piece <= 3; piece++) {
                String text = "%d".formatted(piece).repeat(20_000);
                client.send("4e20\r\n" + text + "\r\n");
                if (piece == 3) client.send("0\r\n\r\n");
                while (all.indexOf("%d".formatted(piece).repeat(1000)) < 0) {
                    byte[] some = new byte[1 << 16];
                    int n = client.in().read(some);
                    assertTrue(n > 0, "cut behind " + all.length() + " bytes");
                    all.append(new String(some, 0, n, ISO_8859_1));
                }
                if (piece == 1) {
                    child.signal("TERM");
                    Eventually.await("no more connections", () -> !accepts(child.port()));
                }
            }
            all.append(new String(client.in().readAllBytes(), ISO_8859_1));
            assertTrue(all.toString().endsWith("\r\n0\r\n\r\n"), "no proper end");
            for (char digit = '1'; digit <= '3'; digit++) {
                char each = digit;
                assertTrue(all.chars().filter(c -> c == each).count() >= 20_000, "of " + each);
            }
            assertEquals(0, child.exitCode());
        }
    }

    private static boolean accepts(int port) throws Exception {
        try {
            new Client(port).close();
            return true;
        } catch (ConnectException e) {
            return false;
        } catch (SocketException e) {
            return true; // reset: it was in the backlog when the address was closed
        }
    }
}

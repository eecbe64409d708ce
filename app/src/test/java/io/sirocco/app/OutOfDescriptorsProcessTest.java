// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.Eventually;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that may open 64 files serves again once those who took them all have gone. */
@Tag("peers")
@EnabledOnOs(value = OS.LINUX, disabledReason = "limits of open files are set by a shell of Linux")
@Timeout(120)
class OutOfDescriptorsProcessTest {
    private static final int OPEN_FILES = 64; // of which the jars of the class path take some 30

    /** Libraries that are not on the class path of the program: each would take a descriptor. */
    private static final List<String> UNUSED =
            List.of(
                    "junit",
                    "graalvm",
                    "sirocco-script",
                    "sirocco-home",
                    "luaj",
                    "hivemq",
                    "netty",
                    "rxjava",
                    "reactive-streams",
                    "jctools",
                    "dagger",
                    "javax.inject");

    private static final int CLIENTS = 90;
    private static final int FILES = 100;
    private static final int FETCHES = 25;
    private static final int FURTHER = 20;
    private static final List<String> HELD = List.of("01", "08"); // ESTABLISHED, CLOSE_WAIT

    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource({"io_uring,1", "io_uring,2", "nio,1", "nio,2"})
    void whenNinetyClientsThatHoldConnectionsHaveGoneEveryRequestIsAnswered(
            String transport, String loops) throws Exception {
        String[] command = {"serve", "--port", "0", "--transport", transport, "--loops", loops};
        try (Child child = Child.withOpenFiles(OPEN_FILES, classPath(), command)) {
            int port = child.port();
            var clients = new ArrayList<Client>();
            for (int i = 0; i < CLIENTS; i++) {
                var client = new Client(port);
                clients.add(client);
                try {
                    client.send("GET /hello/a HTTP/1.1\r\nHost: a\r\n\r\n");
                } catch (IOException e) {
                    assertEquals("nio", transport); // which has turned it away
                }
            }
            if (transport.equals("nio")) {
                String line = child.errLine();
                assertTrue(line.contains("Too many open files"), line);
            } else { // whose sockets take no descriptors of the process
                for (Client client : clients) {
                    assertEquals('H', client.in().read());
                }
            }
            for (Client client : clients) {
                client.close();
            }
            // until then it may have to turn some away
            Eventually.await("it knows that they have gone", () -> !holdsConnections(port));
            var failures = new ArrayList<String>();
            for (int i = 0; i < FURTHER; i++) {
                try {
                    assertEquals("Hello, " + i, Client.get(port, "/hello/" + i).body());
                } catch (IOException e) {
                    failures.add(i + ": " + e);
                }
            }
            child.signal("TERM");
            assertEquals(0, child.exitCode());
            assertEquals(List.of(), failures, child.err());
        }
    }

    /** More files are asked for at once than there are descriptors. */
    @ParameterizedTest
    @ValueSource(strings = {"io_uring", "nio"})
    void aFileIsServedWholeOrRefusedWith503(String transport) throws Exception {
        Path site = Files.createDirectory(folder.resolve("site"));
        byte[] content = new byte[100_000];
        for (int i = 0; i < FILES; i++) {
            Files.write(site.resolve("f" + i), content);
        }
        String[] command = {"serve", site.toString(), "--port", "0", "--transport", transport};
        try (Child child = Child.withOpenFiles(OPEN_FILES, classPath(), command)) {
            int port = child.port();
            var wrong = new ConcurrentLinkedQueue<String>();
            var clients = new ArrayList<Thread>();
            for (int i = 0; i < 40; i++) {
                int first = i;
                clients.add(Thread.ofVirtual().start(() -> fetch(port, first, wrong)));
            }
            for (Thread client : clients) {
                client.join();
            }
            assertEquals(content.length, Client.get(port, "/f0").body().length());
            child.signal("TERM");
            assertEquals(0, child.exitCode());
            String err = child.err();
            assertEquals(List.of(), List.copyOf(wrong), err);
            assertNotEquals("", err, "it logs nothing without descriptors");
        }
    }

    private static void fetch(int port, int first, Queue<String> wrong) {
        for (int i = 0; i < FETCHES; i++) {
            String path = "/f" + (3 * first + i) % FILES;
            var received = new ByteArrayOutputStream();
            try (var client = new Client(port)) {
                client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
                client.in().transferTo(received);
            } catch (IOException e) {
                // turned away, for want of a descriptor for its connection: then nothing has come
            }
            String response = received.toString(StandardCharsets.ISO_8859_1);
            boolean whole = response.endsWith("\r\n\r\n" + "\0".repeat(100_000));
            boolean refused = response.startsWith("HTTP/1.1 503 ");
            if (!response.isEmpty()
                    && !refused
                    && !(response.startsWith("HTTP/1.1 200 ") && whole)) {
                wrong.add(
                        path
                                + ", "
                                + response.length()
                                + " bytes: "
                                + response.lines().findFirst());
            }
        }
    }

    /** Whether the server's end of a connection to {@code port} is there, accepted or not. */
    private static boolean holdsConnections(int port) throws IOException {
        String end = ":%04X".formatted(port);
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            Path file = Path.of(table);
            for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
                String[] columns = line.strip().split("\\s+"); // number, local, remote, state
                if (columns[1].endsWith(end) && HELD.contains(columns[3])) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * As it is installed: our classes are in jars, which are open before descriptors run out, as a
     * folder of classes is not; and what only tests need is not there to take descriptors.
     */
    private String classPath() throws IOException {
        var path = new ArrayList<String>();
        for (String entry : System.getProperty("java.class.path").split(":")) {
            if (Files.isDirectory(Path.of(entry))) {
                path.add(jar(Path.of(entry), folder.resolve(path.size() + ".jar")));
            } else if (UNUSED.stream().noneMatch(entry::contains)) {
                path.add(entry);
            }
        }
        return String.join(":", path);
    }

    private static String jar(Path classes, Path jar) throws IOException {
        try (var out = new JarOutputStream(Files.newOutputStream(jar));
                var files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
        return jar.toString();
    }
}

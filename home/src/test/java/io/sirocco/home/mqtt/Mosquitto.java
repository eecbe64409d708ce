// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.testkit.FreePort;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A real mosquitto on a port and in a folder of its own; the test is skipped where there is none.
 * Used by one thread.
 */
public final class Mosquitto implements AutoCloseable {
    final Path folder;
    public final int port;
    private final List<Capture> captures = new ArrayList<>();
    private Process process;

    private Mosquitto() throws IOException {
        assumeTrue(installed(PROGRAM), "mosquitto is not installed");
        assumeTrue(installed("mosquitto_sub"), "mosquitto-clients is not installed");
        folder = Files.createTempDirectory("sirocco-mosquitto");
        port = FreePort.tcp();
    }

    /** Debian installs it where only the PATH of root looks. */
    private static final String PROGRAM =
            Files.isExecutable(Path.of("/usr/sbin/mosquitto"))
                    ? "/usr/sbin/mosquitto"
                    : "mosquitto";

    private static boolean installed(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder).resolve(program)));
    }

    /** Prepares one that anybody may use; it does not run yet. */
    static Mosquitto stopped(String... lines) throws IOException {
        var broker = new Mosquitto();
        broker.configure(lines.length == 0 ? new String[] {"allow_anonymous true"} : lines);
        return broker;
    }

    public static Mosquitto start(String... lines) throws IOException {
        Mosquitto broker = stopped(lines);
        broker.begin();
        return broker;
    }

    /** Replaces its configuration, which the next start reads. */
    void configure(String... lines) throws IOException {
        String text =
                "listener "
                        + port
                        + " 127.0.0.1\npersistence false\nlog_dest stderr\nlog_type all\n";
        if (System.getProperty("user.name").equals("root")) {
            text += "user root\n";
        }
        Files.writeString(folder.resolve("conf"), text + String.join("\n", lines) + "\n");
    }

    public void begin() throws IOException {
        process =
                new ProcessBuilder(PROGRAM, "-c", folder.resolve("conf").toString())
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("log").toFile())
                        .start();
        await(this::listens, () -> "mosquitto does not start: " + log());
    }

    private boolean listens() {
        assertTrue(process.isAlive(), this::log);
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    String log() {
        try {
            return Files.readString(folder.resolve("log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Sends it STOP or CONT. */
    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
    }

    /** Returns whether it was sent what it has not read. */
    boolean hasUnread() {
        String unread = ": [0-9A-F]+:%04X [0-9A-F:]+ 01 [0-9A-F]+:0*[1-9A-F].*".formatted(port);
        try (Stream<String> sockets = Files.lines(Path.of("/proc/net/tcp"))) {
            return sockets.anyMatch(line -> line.matches(" *[0-9]+" + unread));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Waits until it has had this subscription {@code times}. */
    void awaitSubscription(String client, String filter, int times) {
        String line = ": " + client + " 1 " + filter;
        await(() -> log().lines().filter(each -> each.endsWith(line)).count() == times, this::log);
    }

    /** kill -9. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    /**
     * Publishes as another client; {@code options} may name a client, a user, a retained message.
     */
    public void publish(String topic, String payload, String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of("mosquitto_pub", "-h", "127.0.0.1"));
        command.addAll(List.of("-p", "" + port, "-q", "1", "-t", topic, "-m", payload));
        command.addAll(List.of(options));
        Process publisher = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output =
                new String(publisher.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(publisher.onExit().join().exitValue() == 0, output);
    }

    /** Captures, by mosquitto_sub, what is published from now on, and what is retained. */
    public Capture capture(String filter, String... options) throws IOException {
        return new Capture(filter, options);
    }

    MqttSettings settings(String clientId) {
        return MqttSettings.of("tcp://127.0.0.1:" + port, clientId, "homeassistant", folder);
    }

    @Override
    public void close() throws IOException {
        captures.forEach(capture -> capture.process.destroyForcibly().onExit().join());
        if (process != null) {
            kill();
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.toList().reversed()) {
                Files.delete(each);
            }
        }
    }

    static void await(BooleanSupplier happened, java.util.function.Supplier<String> what) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!happened.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, () -> "not in time: " + what.get());
            LockSupport.parkNanos(1_000_000);
        }
    }

    public static void await(String what, BooleanSupplier happened) {
        await(happened, () -> what);
    }

    /** The messages that a mosquitto_sub has received. */
    public final class Capture {
        private static final String MARK = "message ";
        private final Process process;
        private final List<String> lines = new ArrayList<>();
        private boolean subscribed;

        private Capture(String filter, String... options) throws IOException {
            List<String> command =
                    new ArrayList<>(
                            List.of("stdbuf", "-oL", "mosquitto_sub", "-d", "-h", "127.0.0.1"));
            command.addAll(List.of("-p", "" + port, "-q", "1", "-t", filter));
            command.addAll(List.of("-F", MARK + "%r %t %p"));
            command.addAll(List.of(options));
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
            captures.add(this); // it ends with the broker, whatever happens next
            Thread.ofPlatform().daemon().start(this::read);
            await(this::subscribed, () -> "mosquitto_sub subscribes: " + log());
        }

        private void read() {
            try (var in = process.inputReader(StandardCharsets.UTF_8)) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    add(line);
                }
            } catch (IOException e) {
                // it has ended
            }
        }

        private synchronized void add(String line) {
            subscribed |= line.startsWith("Subscribed");
            if (line.startsWith(MARK)) {
                lines.add(line.substring(MARK.length()));
            }
        }

        private synchronized boolean subscribed() {
            return subscribed;
        }

        /** Returns "RETAINED TOPIC PAYLOAD" of each message. */
        synchronized List<String> lines() {
            return List.copyOf(lines);
        }

        /** Returns the payloads of a topic. */
        public List<String> payloads(String topic) {
            return lines().stream()
                    .map(line -> line.substring(2))
                    .filter(line -> line.startsWith(topic + " "))
                    .map(line -> line.substring(topic.length() + 1))
                    .toList();
        }

        void awaitLine(String line) {
            await(() -> lines().contains(line), () -> line + " is not in " + lines());
        }

        public void awaitPayload(String topic, String payload) {
            await(
                    () -> payloads(topic).contains(payload),
                    () -> topic + " " + payload + " is not in " + lines());
        }

        synchronized void clear() {
            lines.clear();
        }
    }
}

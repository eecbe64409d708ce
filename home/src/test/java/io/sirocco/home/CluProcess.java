// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.home.protocol.CipherKey;
import io.sirocco.net.Loops;
import io.sirocco.testkit.FreePort;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A controller in a JVM of its own, which ends with this one at the latest. */
final class CluProcess implements AutoCloseable {
    private static final String READY = "the controller is on port ";

    final InetSocketAddress tftp;
    private final Process process;
    private final List<String> output = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Integer> port = new CompletableFuture<>();

    /** The program of the other JVM. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws Exception {
            Clu clu =
                    Clu.start(
                            settings ->
                                    settings.directory(Path.of(arguments[0]))
                                            .address(CluRig.LOOPBACK)
                                            .port(0)
                                            .tftpPort(Integer.parseInt(arguments[1]))
                                            .broadcasts(false)
                                            .fortified(Boolean.parseBoolean(arguments[2])));
            System.out.println(READY + clu.address().getPort());
            System.in.readAllBytes();
            System.exit(0); // the parent has ended
        }
    }

    /**
     * Starts one; its controller may take longer.
     *
     * @param folder of the controller
     * @param prefix of the command, for example {@code prlimit --fsize=0:}
     */
    CluProcess(Path folder, String... prefix) throws IOException {
        this(folder, false, 256, prefix);
    }

    /** As the other, of one that may be fortified, and with a heap of that many MiB. */
    CluProcess(Path folder, boolean fortified, int heap, String... prefix) throws IOException {
        tftp = FreePort.udpAddress();
        var command = new ArrayList<>(List.of(prefix));
        command.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-XX:-UsePerfData",
                        "-Xmx" + heap + "m",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName(),
                        folder.toString(),
                        Integer.toString(tftp.getPort()),
                        Boolean.toString(fortified)));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Thread.ofVirtual().start(this::read);
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.add(line);
                if (line.startsWith(READY)) {
                    port.complete(Integer.parseInt(line.substring(READY.length())));
                }
            }
        } catch (IOException e) {
            // it was killed
        }
        port.completeExceptionally(new AssertionError("no controller: " + output));
    }

    /** Returns the address, when the controller has started. */
    InetSocketAddress address() throws Exception {
        return new InetSocketAddress(CluRig.LOOPBACK, port.get(300, TimeUnit.SECONDS));
    }

    CluClient client(Loops loops, CipherKey key) throws Exception {
        return CluClient.open(loops, CluRig.LOOPBACK, address(), key);
    }

    /** Returns what it has printed so far, logs included. */
    String output() {
        return String.join("\n", output);
    }

    long pid() {
        return process.pid();
    }

    /** Waits, unless the process ends. */
    void await(long micros) throws InterruptedException {
        process.waitFor(micros, TimeUnit.MICROSECONDS);
    }

    /** Kills it by SIGKILL, and waits until it is gone. */
    void kill() throws InterruptedException {
        boolean alive = process.isAlive();
        process.destroyForcibly();
        int status = process.waitFor();
        assertEquals(128 + 9, status, () -> "it ran until it was killed: " + alive + output());
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}

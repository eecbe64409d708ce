// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link ClusterNode} that runs. Used by one thread. */
final class NodeProcess implements AutoCloseable {
    private final List<String> command;
    private Process process;

    NodeProcess(String name, int port, String redis) {
        command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ClusterNode.class.getName(),
                        name,
                        "" + port,
                        redis);
    }

    /** Starts it, or starts it again; {@link #awaitReady} waits for it. */
    void begin() throws IOException {
        process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    void awaitReady() throws IOException {
        BufferedReader out = process.inputReader();
        String line = out.readLine();
        if (!"ready".equals(line)) {
            throw new IOException("the node has said " + line);
        }
    }

    /** kill -9. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** SIGTERM; says how it ended. */
    int stop() throws InterruptedException {
        process.toHandle().destroy(); // that of the process would end its input, too
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new AssertionError("the node does not stop");
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        if (process != null) {
            kill();
        }
    }
}

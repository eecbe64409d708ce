// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.http.peer.Npm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The official Socket.IO server in a process of its own, on a free port: {@code
 * src/test/peers/socket.io}. Its packages are installed at the first use, from the lock file. Used
 * by one thread.
 */
final class NodeServer implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int PATIENCE = 20; // seconds

    private final Process process;
    private final LinkedBlockingQueue<JsonNode> said = new LinkedBlockingQueue<>();
    private final ConcurrentLinkedQueue<String> all = new ConcurrentLinkedQueue<>();
    final int port;

    /**
     * Starts one.
     *
     * @param options of the program: {@code port}, {@code password}, {@code options} of Socket.IO
     */
    NodeServer(Map<String, ?> options) {
        Path folder = new Npm("socket.io").folder();
        try {
            process =
                    new ProcessBuilder("node", "server.js", JSON.writeValueAsString(options))
                            .directory(folder.toFile())
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        BufferedReader output = process.inputReader();
        Thread.ofVirtual().start(() -> read(output));
        port = await("listening").get("port").intValue();
    }

    private void read(String line) {
        JsonNode thing = JSON.readTree(line);
        all.add(thing.get("what").stringValue());
        said.add(thing);
    }

    private void read(BufferedReader output) {
        try {
            output.lines().forEach(this::read);
        } catch (UncheckedIOException e) {
            // its process has been ended
        }
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    /** The next thing of this name that has happened; what came before it is forgotten. */
    JsonNode await(String what) {
        try {
            while (true) {
                JsonNode next = said.poll(PATIENCE, TimeUnit.SECONDS);
                if (next == null) {
                    throw new AssertionError("the server has not said: " + what);
                }
                if (next.get("what").stringValue().equals(what)) {
                    return next;
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** How often such a thing has happened, as far as it has been said. */
    long count(String what) {
        return all.stream().filter(what::equals).count();
    }

    /** Has it do something, and waits until it has. */
    void tell(Map<String, ?> command) {
        try {
            var input = process.outputWriter();
            input.write(JSON.writeValueAsString(command) + "\n");
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        await("done");
    }

    void tell(String command) {
        tell(Map.of("do", command));
    }

    /** Ends it, as a crash would. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

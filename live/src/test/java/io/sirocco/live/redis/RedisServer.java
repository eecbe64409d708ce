// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.testkit.FreePort;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A real redis-server (or a valkey-server, where there is no other, or where the environment has
 * SIROCCO_REDIS=valkey-server) on a port and in a folder of its own; the test is skipped where
 * there is none. Used by one thread.
 */
public final class RedisServer implements AutoCloseable {
    private static final int ATTEMPTS = 10;

    private final String program = program();
    private final Path folder;
    private final int port;
    private final List<String> options;
    private Process process;

    private RedisServer(List<String> options) throws IOException {
        assumeTrue(installed(program), program + " is not installed");
        this.folder = Files.createTempDirectory("sirocco-redis");
        this.port = FreePort.tcp();
        this.options = options;
    }

    private static String program() {
        String other = installed("redis-server") ? "redis-server" : "valkey-server";
        return System.getenv().getOrDefault("SIROCCO_REDIS", other);
    }

    /** Starts one; a first option without a dash is a file of configuration. */
    public static RedisServer start(String... options) throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            var server = new RedisServer(List.of(options));
            try {
                server.begin();
                return server;
            } catch (IOException e) { // another program may have taken the port meanwhile
                server.close();
                if (attempt == ATTEMPTS || !e.getMessage().contains("Address already in use")) {
                    throw e;
                }
            }
        }
    }

    /** Whether a program of this name is in the PATH. */
    public static boolean installed(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** Where it listens, on 127.0.0.1. */
    public int port() {
        return port;
    }

    /** For a broker. */
    public String url() {
        return "redis://127.0.0.1:" + port;
    }

    /** A client for the test itself. */
    public Jedis client() {
        return new Jedis("127.0.0.1", port, 20_000);
    }

    /** Runs it, with the data that it finds. */
    public void begin() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program));
        int files = !options.isEmpty() && !options.getFirst().startsWith("-") ? 1 : 0;
        command.addAll(options.subList(0, files));
        command.addAll(List.of("--port", "" + port, "--bind", "127.0.0.1"));
        command.addAll(List.of("--dir", folder.toString(), "--save", ""));
        command.addAll(options.subList(files, options.size()));
        process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("log").toFile())
                        .start();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() > end) {
                throw new IOException(Files.readString(folder.resolve("log")));
            }
            LockSupport.parkNanos(200_000);
        }
    }

    /** kill -9. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** SIGTERM: it writes what it has to its disk first, if it is to. */
    public void stop() {
        process.destroy();
        process.onExit().join();
    }

    /** Everything that it wrote to its disk. */
    public void wipe() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path file : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                if (!file.equals(folder) && !file.endsWith("log")) {
                    Files.delete(file);
                }
            }
        }
    }

    /** It does nothing any more, until {@link #resume}. */
    public void pause() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** It goes on, with all that was sent to it meanwhile. */
    public void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    @Override
    public void close() throws IOException {
        kill();
        wipe();
        Files.deleteIfExists(folder.resolve("log"));
        Files.delete(folder);
    }

    private void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
    }

    private boolean answers() {
        try (Jedis client = client()) {
            return "PONG".equals(client.ping());
        } catch (JedisException e) {
            return e.getMessage() != null && e.getMessage().startsWith("NOAUTH");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.cluster;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * HAProxy, or nginx, with the configuration that stands in {@code examples/live-cluster}; only the
 * ports are others. Used by one thread.
 */
final class Balancer implements AutoCloseable {
    private static final Path EXAMPLES = Path.of("../examples/live-cluster");

    private final Path folder = Files.createTempDirectory("sirocco-balancer");
    private final int port = FreePort.tcp();
    private final Process process;

    private Balancer(String example, String door, List<Integer> nodes, List<String> command)
            throws IOException {
        String text = Files.readString(EXAMPLES.resolve(example));
        text = replaced(text, door, door.replace("8080", "" + port).replace("*:", "127.0.0.1:"));
        for (int i = 0; i < nodes.size(); i++) {
            text = replaced(text, "127.0.0.1:808" + (i + 1), "127.0.0.1:" + nodes.get(i));
        }
        Path file = Files.writeString(folder.resolve(example), text);
        var all = new ArrayList<>(command);
        all.add(file.toString());
        process =
                new ProcessBuilder(all)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("log").toFile())
                        .start();
        awaitDoor();
    }

    static Balancer haproxy(List<Integer> nodes) throws IOException {
        installed("haproxy");
        List<String> command = List.of(program("haproxy"), "-db", "-f");
        return new Balancer("haproxy.cfg", "bind *:8080", nodes, command);
    }

    static Balancer nginx(List<Integer> nodes) throws IOException {
        installed("nginx");
        String more = "daemon off; pid nginx.pid;";
        List<String> command = List.of(program("nginx"), "-p", ".", "-g", more, "-c");
        return new Balancer("nginx.conf", "listen 8080", nodes, command);
    }

    private static void installed(String name) {
        assumeTrue(!program(name).equals(name), name + " is not installed");
    }

    /** Debian has them where only root looks for programs. */
    private static String program(String name) {
        return Stream.of("/usr/sbin", "/usr/local/sbin", "/usr/bin", "/usr/local/bin")
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElse(name);
    }

    private static String replaced(String text, String what, String by) {
        String replaced = text.replace(what, by);
        assertNotEquals(text, replaced, "the example says nothing of " + what);
        return replaced;
    }

    private void awaitDoor() throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() > end) {
                throw new IOException(Files.readString(folder.resolve("log")));
            }
            LockSupport.parkNanos(200_000);
        }
    }

    private boolean answers() {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public void close() throws IOException {
        List<ProcessHandle> workers = process.descendants().toList();
        process.destroyForcibly().onExit().join(); // or it would start others
        workers.forEach(ProcessHandle::destroyForcibly);
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path file : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.heavy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.app.Child;
import io.sirocco.app.Client;
import io.sirocco.app.Client.Answer;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two servers behind HAProxy, with the configuration of {@code examples/containers}, are restarted
 * one after the other while clients send requests: on connections that they keep, on new ones, and
 * uploads that take their time. None of the requests fails.
 */
@Tag("heavy")
@Timeout(900)
class RollingRestartTest {
    private static final int RESTARTS = 50;
    private static final Path EXAMPLE = Path.of("../examples/containers/haproxy.cfg");
    private static final Path HAPROXY = Path.of("/usr/sbin/haproxy");

    @TempDir Path folder;
    private final int front = FreePort.tcp();
    private final int statistics = FreePort.tcp();
    private final List<Instance> instances = new ArrayList<>();
    private final Map<String, Integer> requests = new ConcurrentHashMap<>(); // by their responses
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private volatile boolean over;
    private Process balancer;

    /** One server, which has its ports for good. */
    private final class Instance {
        final String name;
        final int port = FreePort.tcp();
        final int admin = FreePort.tcp();
        final Path file;
        Child child;

        Instance(String name) throws IOException {
            this.name = name;
            file = folder.resolve(name + ".toml");
            String toml =
                    """
                    [server]
                    drain-delay = "2s"
                    loops = 1
                    [[listen]]
                    address = "127.0.0.1:%d"
                    [admin]
                    address = "127.0.0.1:%d"
                    """;
            Files.writeString(file, toml.formatted(port, admin));
            start();
        }

        void start() throws IOException {
            child = new Child("serve", "--config", file.toString());
            assertTrue(child.line().contains("Sirocco serves"), child.line());
        }

        void restart() throws Exception {
            child.signal("TERM");
            assertEquals(0, child.exitCode(), child.line());
            child.close();
            start();
        }
    }

    @BeforeEach
    void start() throws Exception {
        assumeTrue(Files.isExecutable(HAPROXY), "haproxy is not installed");
        instances.add(new Instance("a"));
        instances.add(new Instance("b"));
        String text = Files.readString(EXAMPLE);
        text = replaced(text, "bind *:8000", "bind 127.0.0.1:" + front);
        for (int i = 0; i < 2; i++) {
            Instance instance = instances.get(i);
            text = replaced(text, "127.0.0.1:808" + (i + 1), "127.0.0.1:" + instance.port);
            text = replaced(text, "port 918" + (i + 1), "port " + instance.admin);
        }
        text +=
                """

                listen statistics
                    bind 127.0.0.1:%d
                    stats enable
                    stats uri /
                """
                        .formatted(statistics);
        balancer =
                new ProcessBuilder(HAPROXY.toString(), "-db", "-f", "haproxy.cfg")
                        .directory(
                                Files.writeString(folder.resolve("haproxy.cfg"), text)
                                        .getParent()
                                        .toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("haproxy.log").toFile())
                        .start();
    }

    private static String replaced(String text, String what, String by) {
        String replaced = text.replace(what, by);
        assertNotEquals(text, replaced, "the example says nothing of " + what);
        return replaced;
    }

    @AfterEach
    void stop() {
        over = true;
        if (balancer != null) balancer.destroyForcibly().onExit().join();
        instances.forEach(instance -> instance.child.close());
    }

    @Test
    void noRequestFails() throws Exception {
        for (Instance instance : instances) awaitUp(instance);
        var clients = new ArrayList<Thread>();
        for (int i = 0; i < 4; i++) {
            clients.add(Thread.ofPlatform().start(this::keepsItsConnection));
            clients.add(Thread.ofPlatform().start(this::connectsAnew));
            clients.add(Thread.ofPlatform().start(this::uploadsInParts));
        }
        for (int i = 0; i < RESTARTS; i++) {
            Instance instance = instances.get(i % 2);
            instance.restart();
            awaitUp(instance);
        }
        over = true;
        for (Thread client : clients) client.join();
        int all = requests.values().stream().mapToInt(count -> count).sum();
        System.out.printf(
                "%d rolling restarts, %d requests, %d failed%n", RESTARTS, all, failures.size());
        assertEquals(List.of(), List.copyOf(failures));
        for (String kind : List.of("Hello, kept", "Hello, new", "{\"bytes\":800}")) {
            assertTrue(requests.getOrDefault(kind, 0) > RESTARTS, kind + " of " + requests);
        }
    }

    private void awaitUp(Instance instance) throws Exception {
        Eventually.await(instance.name + " is up", () -> status(instance).equals("UP"));
    }

    /** As HAProxy knows it. */
    private String status(Instance instance) {
        try {
            return Client.get(statistics, "/;csv")
                    .body()
                    .lines()
                    .filter(line -> line.startsWith("sirocco," + instance.name + ","))
                    .map(line -> line.split(",")[17])
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return e.toString(); // it starts
        }
    }

    // ---- the clients

    private interface Requests {
        void send() throws IOException;
    }

    private void until(Requests all) {
        while (!over) {
            try {
                all.send();
            } catch (IOException | AssertionError | RuntimeException e) {
                failures.add(e.toString());
            }
        }
    }

    private void expect(String body, Answer answer) {
        requests.merge(body, 1, Integer::sum);
        if (answer.status() != 200 || !answer.body().equals(body)) {
            failures.add(answer.toString());
        }
    }

    private void keepsItsConnection() {
        until(
                () -> {
                    try (var client = new Client(front)) {
                        while (!over) expect("Hello, kept", client.ask("GET", "/hello/kept"));
                    }
                });
    }

    private void connectsAnew() {
        until(() -> expect("Hello, new", Client.get(front, "/hello/new")));
    }

    /** A request that is in progress for many turns of everyone. */
    private void uploadsInParts() {
        until(
                () -> {
                    try (var client = new Client(front)) {
                        client.send(
                                "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 800\r\n\r\n");
                        for (int i = 0; i < 8; i++) {
                            client.send("x".repeat(100));
                            expect("Hello, part", Client.get(front, "/hello/part"));
                        }
                        expect("{\"bytes\":800}", client.next(false));
                    }
                });
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Child;
import io.sirocco.app.Client;
import io.sirocco.app.Client.Answer;
import io.sirocco.app.Running;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.FreePort;
import io.sirocco.testkit.OnEachTransport;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * A hundred reloads under load: no request fails and no stream of events is cut, while settings,
 * sites and certificates change, addresses come and go, and files that are wrong are refused. The
 * configuration changes between the welcome site, which has a stream of events, and a directory
 * with the same greeting.
 */
@Tag("peers")
@OnEachTransport
class ReloadUnderLoadTest {
    private static final int RELOADS = 100;
    private static final int STREAMS = 4;

    @Parameter TransportKind transport;
    @TempDir Path folder;

    private volatile boolean over;
    private final Set<String> servers = ConcurrentHashMap.newKeySet();
    private final Set<String> certificates = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicLong requests = new AtomicLong();
    private SSLContext trust;

    @BeforeEach
    void make() throws Exception {
        Files.createDirectories(folder.resolve("site/hello"));
        Files.writeString(folder.resolve("site/hello/a"), "Hello, a");
        Authority authority = Authority.in(folder);
        authority.signs("even");
        authority.signs("odd");
        use("even");
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (var in = Files.newInputStream(folder.resolve("authority.pem"))) {
            store.setCertificateEntry(
                    "a", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        var managers = TrustManagerFactory.getInstance("PKIX");
        managers.init(store);
        trust = SSLContext.getInstance("TLS");
        trust.init(null, managers.getTrustManagers(), null);
    }

    /** The certificate that is to be served: one file in the place of another. */
    private void use(String name) throws IOException {
        for (String kind : new String[] {".key", ".pem"}) {
            Path next = folder.resolve("next" + kind);
            Files.copy(folder.resolve(name + kind), next, StandardCopyOption.REPLACE_EXISTING);
            Files.move(next, folder.resolve("server" + kind), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private static String configuration(int number, List<Integer> ports) {
        var toml = new StringBuilder();
        toml.append("[server]\nreload = false\nreload-may-remove = true\n");
        toml.append("name = \"reload-%d\"\n".formatted(number));
        toml.append("[limits]\nmax-header-fields = %d\n".formatted(20 + number % 50));
        for (int i = 0; i < ports.size(); i++) {
            toml.append("[[listen]]\naddress = \"127.0.0.1:%d\"\n".formatted(ports.get(i)));
            toml.append(i == 1 ? "tls = true\n" : "");
        }
        toml.append("[[tls.certificate]]\nchain = \"server.pem\"\nkey = \"server.key\"\n");
        toml.append("[access-log]\nfile = \"access.log\"\n");
        toml.append(number % 4 == 3 ? "format = \"combined\"\n" : "");
        toml.append(number % 2 == 1 ? "[[site]]\nroot = \"site\"\n" : "");
        return toml.toString();
    }

    // ---- load

    private Client plain(int port) throws IOException {
        return new Client(port);
    }

    private Client secure(int port) throws IOException {
        SSLSocket socket =
                (SSLSocket)
                        trust.getSocketFactory()
                                .createSocket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        socket.startHandshake();
        var own = (X509Certificate) socket.getSession().getPeerCertificates()[0];
        certificates.add(own.getSubjectX500Principal().getName());
        return new Client(socket);
    }

    private interface Opening {
        Client open() throws IOException;
    }

    /** Asks again and again, {@code each} times on one connection. */
    private Thread asks(Opening opening, int each) {
        return Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                while (!over) {
                                    try (Client client = opening.open()) {
                                        for (int i = 0; i < each && !over; i++) {
                                            check(client.ask("GET", "/hello/a"));
                                        }
                                    }
                                }
                            } catch (IOException | RuntimeException | AssertionError e) {
                                failures.add(requests + " requests, then " + e);
                            }
                        });
    }

    private void check(Answer answer) {
        requests.incrementAndGet();
        servers.add(answer.field("Server"));
        if (answer.status() != 200 || !answer.body().equals("Hello, a")) {
            failures.add(answer.toString());
        }
    }

    /** A stream of events, read on until its end. */
    private final class Ticks {
        final Client client;
        final AtomicInteger seen = new AtomicInteger();
        final Thread reader;
        volatile String last = "";

        Ticks(Client client) throws IOException {
            this.client = client;
            client.send("GET /ticks HTTP/1.1\r\nHost: localhost\r\n\r\n");
            reader = Thread.ofVirtual().start(this::read);
        }

        private void read() {
            try {
                var lines = new BufferedReader(new InputStreamReader(client.in(), US_ASCII));
                for (String line; (line = lines.readLine()) != null; last = line) {
                    if (line.startsWith("data: tick ")) {
                        int number = Integer.parseInt(line.substring(11));
                        if (number != seen.incrementAndGet()) failures.add("a gap: " + line);
                    }
                }
            } catch (IOException e) {
                last = e.toString();
            }
        }

        void await(int ticks) throws Exception {
            Eventually.await("tick " + ticks, () -> seen.get() >= ticks || !reader.isAlive());
            if (seen.get() < ticks) failures.add("a stream ended behind tick " + seen);
        }
    }

    private void assertNothingFailed() {
        assertEquals(List.of(), List.copyOf(failures));
    }

    // ---- the tests

    @Test
    void aHundredReloadsFailNothing() throws Exception {
        int port = FreePort.tcp();
        int tlsPort = FreePort.tcp();
        int comesAndGoes = FreePort.tcp();
        List<Integer> two = List.of(port, tlsPort);
        var streams = new ArrayList<Ticks>();
        try (var running = Running.of(folder, transport, configuration(0, two))) {
            for (int i = 0; i < STREAMS; i++) {
                streams.add(new Ticks(i % 2 == 0 ? plain(port) : secure(tlsPort)));
            }
            for (Ticks stream : streams) stream.await(1);
            List<Thread> load =
                    List.of(
                            asks(() -> plain(port), 1),
                            asks(() -> plain(port), Integer.MAX_VALUE),
                            asks(() -> secure(tlsPort), 5),
                            asks(() -> secure(tlsPort), Integer.MAX_VALUE));
            long threads = 0;
            int files = 0;
            for (int number = 1; number <= RELOADS; number++) {
                long before = requests.get();
                if (number == 10) { // all that is made once is there
                    threads = threads();
                    files = files();
                }
                if (number % 10 == 5) refuses(running, number, two);
                use(number % 2 == 0 ? "even" : "odd");
                boolean third = number % 5 == 0;
                running.reload(
                        configuration(number, third ? List.of(port, tlsPort, comesAndGoes) : two));
                String name = "reload-" + number; // in force when the reload has returned
                assertEquals(name, Client.get(port, "/hello/a").field("Server"));
                assertEquals(third, accepts(comesAndGoes), "the third address at " + number);
                assertEquals(number % 2 == 1 ? 404 : 200, Client.get(port, "/bytes/10").status());
                if (number % 10 == 0) secure(tlsPort).close();
                Eventually.await(
                        "four more requests",
                        () -> requests.get() >= before + 4 || !failures.isEmpty());
            }
            assertTrue(threads() <= threads + 5, threads + " threads became " + threads());
            assertTrue(files() <= files + 30, files + " open files became " + files());
            for (Ticks stream : streams) stream.await(stream.seen.get() + 1);
            over = true;
            for (Thread each : load) each.join();
            assertNothingFailed();
            assertTrue(servers.size() > RELOADS / 2, servers.size() + " configurations were seen");
            assertEquals(Set.of("CN=even", "CN=odd"), certificates);
        } // a drain ends streams in good order
        for (Ticks stream : streams) {
            stream.reader.join();
            stream.client.close();
            assertEquals("", stream.last, "the end of a body in chunks");
        }
        assertNothingFailed();
    }

    /** But those that look at files for requests of before: they end when they are idle. */
    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !thread.getName().startsWith("sirocco-files"))
                .count();
    }

    /** Of this process; 0 where it cannot be seen. */
    private static int files() {
        String[] open = new File("/proc/self/fd").list();
        return open == null ? 0 : open.length;
    }

    /** In between: what cannot be is refused, and changes nothing. */
    private void refuses(Running running, int number, List<Integer> ports) throws Exception {
        String good = configuration(1000 + number, ports);
        assertTrue(running.refuses("[[listen]\n").contains("brackets"));
        assertTrue(running.refuses(good + "lisen = 1\n").contains("lisen"));
        assertTrue(running.refuses(good + "[[site]]\nhosts = [\"b\", \"b\"]\n").contains("b"));
        try (var taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            List<Integer> more = new ArrayList<>(ports);
            more.add(taken.getLocalPort());
            String said = running.refuses(configuration(1000 + number, more));
            assertTrue(said.contains("Address already in use"), said);
        }
        Files.writeString(folder.resolve("server.pem"), "half a certif");
        assertTrue(running.refuses(good).contains("server.pem"));
    }

    /** As it is operated: one file in the place of another, and a signal. */
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no signals")
    void hangUpsUnderLoadFailNothing() throws Exception {
        int port = FreePort.tcp();
        int tlsPort = FreePort.tcp();
        List<Integer> two = List.of(port, tlsPort);
        Path file = folder.resolve("sirocco.toml");
        String log = "[log]\nfile = \"server.log\"\n";
        Files.writeString(file, log + configuration(0, two));
        String kind = transport.name().toLowerCase();
        try (var child = new Child("serve", "--config", file.toString(), "--transport", kind)) {
            assertTrue(child.line().contains("https://127.0.0.1:" + tlsPort), child.line());
            var stream = new Ticks(plain(port));
            stream.await(1);
            List<Thread> load =
                    List.of(
                            asks(() -> plain(port), 1),
                            asks(() -> secure(tlsPort), Integer.MAX_VALUE));
            for (int number = 1; number <= 20; number++) {
                use(number % 2 == 0 ? "even" : "odd");
                Path next = folder.resolve("next.toml");
                boolean wrong = number % 5 == 0;
                Files.writeString(
                        next, (wrong ? "no = 1\n" : "") + log + configuration(number, two));
                Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
                child.signal("HUP");
                if (wrong) {
                    int refused = number / 5;
                    Eventually.await("a refusal", () -> refusals() == refused);
                } else {
                    String name = "reload-" + number;
                    Eventually.await(name, () -> servers.contains(name) || !failures.isEmpty());
                }
            }
            stream.await(stream.seen.get() + 1);
            over = true;
            for (Thread each : load) each.join();
            assertNothingFailed();
            child.signal("TERM");
            stream.reader.join();
            stream.client.close();
            assertEquals(0, child.exitCode());
            assertEquals("", child.err());
            assertNothingFailed();
        }
    }

    private long refusals() throws IOException {
        Path log = folder.resolve("server.log");
        if (!Files.exists(log)) return 0;
        return Files.readAllLines(log).stream()
                .filter(
                        line ->
                                line.contains(
                                        "reload rejected; the old configuration stays in effect:"))
                .count();
    }

    private static boolean accepts(int port) {
        try {
            new Client(port).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}

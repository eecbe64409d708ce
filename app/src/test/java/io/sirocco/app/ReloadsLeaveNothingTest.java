// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that is reloaded again and again has as many threads and open files as before. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class ReloadsLeaveNothingTest {
    private static final SSLContext TRUSTING = trusting();

    @TempDir Path folder;

    private static String configuration(int number) {
        return """
        [[listen]]
        address = "127.0.0.1:0"
        tls = true
        [server]
        reload = false
        name = "n%d"
        [tls]
        self-signed = true
        handshake-timeout = "%ds"
        [access-log]
        file = "access.log"
        [[site]]
        root = "site"
        cache-check = "%ds"
        """
                .formatted(number, 5 + number % 20, 1 + number % 20);
    }

    @Tag("peers") // waits until idle threads of this JVM have ended
    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"IO_URING", "NIO"})
    void thoseThatChangeTheCertificate(TransportKind transport) throws Exception {
        reload(transport, 9);
    }

    @Tag("heavy")
    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"IO_URING", "NIO"})
    void manyThatChangeTheCertificate(TransportKind transport) throws Exception {
        reload(transport, 30);
    }

    private void reload(TransportKind transport, int times) throws Exception {
        Files.createDirectories(folder.resolve("site"));
        Files.writeString(folder.resolve("site/index.html"), "home");
        try (Running running = Running.of(folder, transport, configuration(0))) {
            visit(running, 0);
            for (int i = 1; i <= 3; i++) { // threads that are started when they are needed first
                running.reload(configuration(i));
                visit(running, i);
            }
            List<String> threads = threads();
            long files = openFiles();
            for (int i = 4; i <= times; i++) {
                running.reload(configuration(i));
                visit(running, i);
            }
            Eventually.await(
                    "no more threads than " + threads, () -> threads().size() <= threads.size());
            Eventually.await("no more open files", () -> openFiles() <= files + 4);
        }
    }

    private static void visit(Running running, int number) throws Exception {
        try (Socket plain = new Socket("127.0.0.1", running.port());
                var secure =
                        (SSLSocket)
                                TRUSTING.getSocketFactory()
                                        .createSocket(plain, "localhost", running.port(), true);
                var client = new Client(secure)) {
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            Client.Answer answer = client.last();
            assertEquals(200, answer.status());
            assertEquals("n" + number, answer.field("Server"));
        }
    }

    private static SSLContext trusting() {
        var all =
                new X509TrustManager() {
                    @Override
                    public void checkClientTrusted(X509Certificate[] chain, String type) {}

                    @Override
                    public void checkServerTrusted(X509Certificate[] chain, String type) {}

                    @Override
                    public X509Certificate[] getAcceptedIssuers() {
                        return new X509Certificate[0];
                    }
                };
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {all}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> !name.startsWith("ForkJoinPool")) // the JDK's, which come and go
                .sorted()
                .toList();
    }

    private static long openFiles() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }
}

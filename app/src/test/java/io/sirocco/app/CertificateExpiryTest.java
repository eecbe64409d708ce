// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Certificates whose time is over, or soon will be. */
@Tag("peers")
class CertificateExpiryTest {
    @TempDir Path folder;

    /** Writes a store and a configuration that uses it. */
    private Path file(String start, int days) throws Exception {
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        String command =
                "%s -genkeypair -keystore store.p12 -storetype PKCS12 -storepass secret -alias a -dname CN=example.org -keyalg EC -startdate %s -validity %d"
                        .formatted(keytool, start, days);
        Process made =
                new ProcessBuilder(command.split(" "))
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .start();
        String said = new String(made.getInputStream().readAllBytes());
        assertEquals(0, made.waitFor(), said);
        Files.writeString(folder.resolve("password"), "secret\n");
        return Files.writeString(
                folder.resolve("sirocco.toml"),
                """
                [[listen]]
                address = "127.0.0.1:0"
                tls = true
                [[tls.certificate]]
                store = "store.p12"
                password-file = "password"
                [admin]
                address = "127.0.0.1:0"
                """);
    }

    private static String check(Path file, int code) {
        var err = new StringWriter();
        var line = Main.commandLine();
        line.setOut(new PrintWriter(new StringWriter()));
        line.setErr(new PrintWriter(err));
        assertEquals(code, line.execute("check", file.toString()), err::toString);
        return err.toString();
    }

    @Test
    void checkRefusesOneThatHasExpired() throws Exception {
        String said = check(file("-20d", 10), 2);
        assertTrue(said.contains("sirocco.toml:5:9: error: "), said);
        assertTrue(said.contains("the certificate of CN=example.org has expired"), said);
    }

    @Test
    void checkWarnsOfOneThatExpiresSoon() throws Exception {
        String said = check(file("-1d", 10), 0);
        assertTrue(
                said.contains(
                        "sirocco.toml:5:9: warning: the certificate of CN=example.org expires in 8 d"),
                said);
        assertTrue(said.contains("    5 | store = \"store.p12\"\n"), said);
        assertEquals("", check(again(100), 0));
    }

    private Path again(int days) throws Exception {
        Files.delete(folder.resolve("store.p12"));
        return file("-1d", days);
    }

    @ParameterizedTest
    @CsvSource({"-20d, has expired", "-5d, expires in"})
    void serveWarnsAndTheMetricsHaveTheTime(String start, String words) throws Exception {
        Path file = file(start, 10);
        var lines = new ArrayList<String>();
        var handler =
                new Handler() {
                    @Override
                    public void publish(LogRecord record) {
                        synchronized (lines) {
                            lines.add(record.getMessage());
                        }
                    }

                    @Override
                    public void flush() {}

                    @Override
                    public void close() {}
                };
        Logger logger = Logger.getLogger("io.sirocco");
        logger.addHandler(handler);
        try (Running running = Running.of(folder, TransportKind.NIO, Files.readString(file))) {
            String metrics = Client.get(running.adminPort(), "/metrics").body();
            assertTrue(
                    metrics.contains(
                            "sirocco_tls_certificate_expiry_seconds{subject=\"CN=example.org\""),
                    metrics);
            List<String> first = warnings(lines, words);
            assertEquals(1, first.size(), lines::toString);
            boolean now = words.contains("expired");
            String end =
                    now
                            ? "clients refuse it now, so renew it"
                            : "clients refuse it then, so renew it";
            assertTrue(first.getFirst().endsWith(end), first::toString);
            running.reload(Files.readString(file));
            assertEquals(2, warnings(lines, words).size(), lines::toString);
        } finally {
            logger.removeHandler(handler);
        }
    }

    /** The thread that looks every day is a virtual one, which only a dump shows. */
    @Test
    void aCertificateThatComesByAReloadIsLookedAtEveryDay() throws Exception {
        String listen = "[[listen]]\naddress = \"127.0.0.1:0\"\n";
        String plain = listen + "[admin]\naddress = \"127.0.0.1:0\"\n";
        // an address that is there keeps what it speaks, so TLS comes with another one
        String secure =
                listen + Files.readString(file("-1d", 10)).replaceFirst("127.0.0.1", "127.0.0.2");
        await(0); // those of other tests have ended
        try (Running running = Running.of(folder, TransportKind.NIO, plain)) {
            running.reload(secure);
            running.reload(secure);
            await(1);
        }
        await(0);
    }

    private void await(int threads) throws Exception {
        Eventually.await(
                threads + " threads", () -> threads("\"sirocco-certificates\"") == threads);
    }

    private long threads(String name) throws Exception {
        Path dump = folder.resolve("threads.txt").toAbsolutePath();
        Files.deleteIfExists(dump);
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpThreads(dump.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
        return Files.readAllLines(dump).stream().filter(line -> line.contains(name)).count();
    }

    private static List<String> warnings(List<String> lines, String words) {
        synchronized (lines) {
            String name = "the certificate of CN=example.org " + words;
            return lines.stream().filter(line -> line.startsWith(name)).toList();
        }
    }
}

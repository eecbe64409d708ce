// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The load generator as a process of its own, with real signals. */
@Tag("peers")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no signals")
class BenchProcessTest {
    private static final Pattern REQUESTS = Pattern.compile("\"requests\"\\s*:\\s*(\\d+)");
    private static final int INTERRUPTED = 130; // 128 and the number of the signal

    private final CountDownLatch asked = new CountDownLatch(1_000);
    private Server server;
    private String url;

    @BeforeEach
    void start() {
        server =
                Server.start(
                        c ->
                                c.listen(new InetSocketAddress("127.0.0.1", 0))
                                        .loops(1)
                                        .executionMode(ExecutionMode.INLINE),
                        routes ->
                                routes.get(
                                        "/",
                                        request -> {
                                            asked.countDown();
                                            return Response.text("ok");
                                        }));
        url = "http://127.0.0.1:" + server.port() + "/";
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void awaitRequests() throws InterruptedException {
        assertTrue(asked.await(60, TimeUnit.SECONDS), "it asks nothing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void aSignalEndsItWithWhatWasMeasured(String signal) throws Exception {
        String[] words = {"bench", "http", url, "-d", "1h", "--warm-up", "0s", "-c", "4", "--json"};
        try (var child = new Child(words)) {
            awaitRequests();
            child.signal(signal);
            String out = child.out();
            Matcher requests = REQUESTS.matcher(out);
            assertTrue(requests.find(), out);
            assertTrue(Long.parseLong(requests.group(1)) > 0, out);
            assertTrue(out.contains("\"failed\":0") || out.contains("\"failed\" : 0"), out);
            assertEquals(signal.equals("INT") ? INTERRUPTED : 143, child.exitCode());
            assertEquals("", child.err());
        }
    }

    @Test
    void soItDoesForPeopleToRead() throws Exception {
        try (var child = new Child("bench", "http", url, "-d", "1h", "--warm-up", "0s")) {
            awaitRequests();
            child.signal("INT");
            assertTrue(child.out().strip().length() > 100);
            assertEquals(INTERRUPTED, child.exitCode());
        }
    }

    @Test
    void theWarmUpEndsTooAndNothingWasMeasured() throws Exception {
        try (var child = new Child("bench", "http", url, "--warm-up", "1h", "--json")) {
            awaitRequests();
            child.signal("INT");
            Matcher requests = REQUESTS.matcher(child.out());
            assertTrue(requests.find());
            assertEquals("0", requests.group(1));
            assertEquals(INTERRUPTED, child.exitCode());
        }
    }

    @Test
    void itEndsByItselfWith0() throws Exception {
        try (var child = new Child("bench", "http", url, "-n", "50", "--warm-up", "0s")) {
            assertTrue(child.out().strip().length() > 100);
            assertEquals("", child.err(), "no progress where there is no terminal");
            assertEquals(0, child.exitCode());
        }
    }

    @Test
    void withoutAServerItSaysSoInOneLineAndExitsWith1() throws Exception {
        server.close();
        try (var child = new Child("bench", "http", url)) {
            String where = url.substring("http://".length(), url.length() - 1);
            assertEquals(
                    "sirocco bench http: cannot connect to " + where + ": Connection refused",
                    child.err().strip());
            assertEquals(1, child.exitCode());
            assertEquals("", child.out());
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.protocol.CipherKey;
import io.sirocco.net.Loops;
import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A controller with a heap of 48 MiB, as on a small machine. */
@Tag("peers")
class SmallHeapTest {
    private static final int BODIES = 40;

    @TempDir Path directory;

    /** The largest bodies that there are: 1 MiB, and nearly 100,000 values in each. */
    @Test
    void itSurvivesLargeBodiesAtOnce() throws Exception {
        int port = FreePort.tcp();
        CipherKey key = CipherKey.random(new SecureRandom());
        CluRig.write(
                directory,
                """
                HTTP = OBJECT:new(120, "HTTP")
                HTTP:set(10, %d)
                HTTP:add_event(0, function()
                    HTTP:set(8, "received")
                    HTTP:execute(0)
                end)
                """
                                .formatted(port)
                        + CluRig.MAIN,
                key);
        try (var process = new CluProcess(directory, false, 48);
                Loops loops = Loops.start(settings -> settings.loops(1));
                CluClient client = process.client(loops, key);
                HttpClient http = HttpClient.newHttpClient()) {
            URI uri = URI.create("http://127.0.0.1:" + port + "/");
            while (!client.execute("HTTP:get(12)").get(30, TimeUnit.SECONDS).equals("1")) {
                // its port opens after SYSTEM.Init()
            }
            for (int round = 0; round < 4; round++) {
                List<CompletableFuture<Integer>> sent =
                        IntStream.range(0, BODIES).mapToObj(i -> post(http, uri, large())).toList();
                List<Integer> statuses = sent.stream().map(CompletableFuture::join).toList();
                assertTrue(List.of(0, 200, 503).containsAll(statuses), statuses::toString);
                assertTrue(statuses.contains(200), statuses::toString);
            }
            assertEquals(200, post(http, uri, "[1]").join());
            assertTrue(client.checkAlive(0x0d123456).get(30, TimeUnit.SECONDS));
            assertFalse(process.output().contains("out of memory"), process::output);
            process.kill();
        }
    }

    private static String large() {
        String tables = "[" + "[],".repeat(99_000) + "\"";
        return tables + "x".repeat((1 << 20) - tables.length() - 2) + "\"]";
    }

    /** Returns the status; 0 if the server closes the connection while it is sent. */
    private static CompletableFuture<Integer> post(HttpClient http, URI uri, String body) {
        HttpRequest request =
                HttpRequest.newBuilder(uri)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.discarding())
                .handle(
                        (response, failure) -> {
                            if (failure == null) {
                                return response.statusCode();
                            }
                            if (failure instanceof IOException
                                    || failure.getCause() instanceof IOException) {
                                return 0;
                            }
                            throw new CompletionException(failure);
                        });
    }
}

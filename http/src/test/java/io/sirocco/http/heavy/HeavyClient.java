// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.client.ClientRequest;
import io.sirocco.http.client.ClientResponse;
import io.sirocco.http.client.HttpClient;
import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.concurrent.CompletableFuture;

/**
 * The client of the heavy tests, in a JVM of its own. Argument: the transport. Obeys its input:
 * {@code down URL} prints how many bytes came, {@code up URL BYTES} what the server says of so
 * many, {@code rate SECONDS} how many requests a second one loop makes of a server on another.
 */
public final class HeavyClient {
    private HeavyClient() {}

    public static void main(String[] arguments) throws Exception {
        TransportKind transport = TransportKind.valueOf(arguments[0]);
        var input = new BufferedReader(new InputStreamReader(System.in));
        try (Loops loops = Loops.start(s -> s.loops(1).transport(transport).longTurnMillis(0));
                HttpClient client = HttpClient.on(loops, s -> {})) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                String[] words = line.split(" ");
                System.out.println(
                        switch (words[0]) {
                            case "down" -> down(client, words[1]);
                            case "up" -> up(client, words[1], Long.parseLong(words[2]));
                            case "rate" -> rate(transport, client, Long.parseLong(words[1]));
                            default -> "unknown: " + line;
                        });
            }
        }
    }

    private static String down(HttpClient client, String url) throws Exception {
        ClientResponse response = client.send(ClientRequest.get(url));
        long total = 0;
        byte[] piece = new byte[64 << 10];
        try (InputStream in = response.body().inputStream()) {
            for (int n; (n = in.read(piece)) >= 0; ) {
                total += n;
            }
        }
        return Long.toString(total);
    }

    private static String up(HttpClient client, String url, long bytes) throws Exception {
        byte[] piece = new byte[256 << 10];
        var request =
                ClientRequest.post(url)
                        .body(
                                out -> {
                                    for (long left = bytes; left > 0; left -= piece.length) {
                                        out.write(piece, 0, (int) Math.min(left, piece.length));
                                    }
                                });
        return client.send(request).body().text();
    }

    private static String rate(TransportKind transport, HttpClient client, long seconds)
            throws IOException {
        try (Server server =
                Server.start(
                        c -> c.port(0).loops(1).transport(transport),
                        r -> r.get("/", q -> Response.text("hello")))) {
            var request = ClientRequest.get("http://127.0.0.1:" + server.port() + "/");
            var result = new StringBuilder();
            for (int round = 0; round < 3; round++) {
                long before = client.stats().responses();
                long began = System.nanoTime();
                long end = began + seconds * 1_000_000_000;
                var chains = new CompletableFuture<?>[32];
                for (int i = 0; i < chains.length; i++) {
                    var done = new CompletableFuture<Void>();
                    chains[i] = done;
                    again(client, request, end, done);
                }
                CompletableFuture.allOf(chains).join();
                double elapsed = (System.nanoTime() - began) / 1e9;
                result.append("%.0f ".formatted((client.stats().responses() - before) / elapsed));
            }
            return result.toString().strip();
        }
    }

    private static void again(
            HttpClient client, ClientRequest request, long end, CompletableFuture<Void> done) {
        if (System.nanoTime() > end) {
            done.complete(null);
            return;
        }
        client.sendAsync(request)
                .thenCompose(response -> response.body().bytesAsync())
                .whenComplete(
                        (body, thrown) -> {
                            if (thrown != null) {
                                done.completeExceptionally(thrown);
                            } else {
                                again(client, request, end, done);
                            }
                        });
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** Long responses to polls are compressed for a client that accepts gzip, as Socket.IO does it. */
class CompressedPollsTest {

    /** A client of one session that polls. */
    private static final class Polls implements AutoCloseable {
        private final HttpClient http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        private String uri;

        Polls(int port) throws Exception {
            uri = "http://127.0.0.1:" + port + "/socket.io/?EIO=4&transport=polling";
            String opening = new String(poll("").body(), UTF_8);
            uri += "&sid=" + opening.substring(9, opening.indexOf('"', 9));
            var connect =
                    HttpRequest.newBuilder(URI.create(uri)).POST(BodyPublishers.ofString("40"));
            assertEquals("ok", http.send(connect.build(), BodyHandlers.ofString()).body());
            assertTrue(new String(poll("").body(), UTF_8).startsWith("40{"));
        }

        HttpResponse<byte[]> poll(String codings) throws Exception {
            var request = HttpRequest.newBuilder(URI.create(uri));
            if (!codings.isEmpty()) {
                request.header("Accept-Encoding", codings);
            }
            return http.send(request.build(), BodyHandlers.ofByteArray());
        }

        @Override
        public void close() {
            http.close();
        }
    }

    private static String coding(HttpResponse<byte[]> response) {
        return response.headers().firstValue("Content-Encoding").orElse("none");
    }

    private static String decoded(HttpResponse<byte[]> response) throws Exception {
        assertEquals("gzip", coding(response));
        try (var in = new GZIPInputStream(new ByteArrayInputStream(response.body()))) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    @Test
    void aLongPollIsCompressedForAClientThatAcceptsGzip() throws Exception {
        try (var service = new Service();
                var polls = new Polls(service.port)) {
            for (int length : new int[] {2_000, 20_000, 500_000}) {
                String text = "ä§1".repeat(length / 3);
                service.live.broadcast("news", text);
                HttpResponse<byte[]> response = polls.poll("br, GZIP;q=0.5");
                assertTrue(response.body().length < length / 2, "" + response.body().length);
                assertEquals("42[\"news\",\"" + text + "\"]", decoded(response));
            }
        }
    }

    @Test
    void aShortOneIsNot() throws Exception {
        try (var service = new Service();
                var polls = new Polls(service.port)) {
            service.live.broadcast("news", "x".repeat(500));
            HttpResponse<byte[]> response = polls.poll("gzip");
            assertEquals("none", coding(response));
            assertEquals(513, response.body().length);
        }
    }

    @Test
    void noneIsForAClientThatDoesNotAcceptIt() throws Exception {
        try (var service = new Service();
                var polls = new Polls(service.port)) {
            for (String codings : new String[] {"", "br", "identity", "gzip;q=0", "*;q=0"}) {
                service.live.broadcast("news", "x".repeat(5_000));
                HttpResponse<byte[]> response = polls.poll(codings);
                assertEquals("none", coding(response), codings);
                assertEquals(5_013, response.body().length);
            }
        }
    }
}

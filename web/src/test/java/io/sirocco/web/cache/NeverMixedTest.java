// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Headers;
import io.sirocco.web.files.Client;
import io.sirocco.web.files.Client.Answer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many clients at once, with responses of all kinds: no client ever gets what was for another one,
 * another variant, another URL, or a part as the whole. Each body says what it was made for.
 */
class NeverMixedTest {
    private static final int CLIENTS = 8;

    @TempDir Path folder;

    private final AtomicLong serial = new AtomicLong();

    /** The kind of a URL decides how it may be cached. */
    private enum Kind {
        PUBLIC("max-age=2", false),
        PRIVATE("private, max-age=60", true),
        NO_STORE("no-store", true),
        SHORT("max-age=1, stale-while-revalidate=1, stale-if-error=2", false),
        CHECKED("no-cache", false),
        LARGE("max-age=2", false),
        BROKEN("max-age=60", false);

        final String directives;
        final boolean personal;

        Kind(String directives, boolean personal) {
            this.directives = directives;
            this.personal = personal;
        }
    }

    private CompletableFuture<OriginResponse> respond(OriginRequest request) {
        String target = request.target();
        Kind kind = Kind.valueOf(target.substring(1, target.indexOf('-')));
        String language = request.headers().first("Accept-Language").orElse("none");
        String user = request.headers().first("Authorization").orElse("nobody");
        long number = serial.incrementAndGet();
        var random = new Random(number);
        String etag =
                "\"" + target.hashCode() + language + (kind == Kind.CHECKED ? "" : user) + "\"";
        Headers headers =
                Headers.of(
                        "Cache-Control", kind.directives, "Vary", "Accept-Language", "ETag", etag);
        if (request.method().equals("POST")) {
            return CompletableFuture.completedFuture(
                    new OriginResponse(
                            204, Headers.none(), OptionalLong.of(0), TestOrigin.source()));
        }
        if (random.nextInt(20) == 0) {
            return CompletableFuture.failedFuture(new IOException("no connection"));
        }
        if (request.headers().first("If-None-Match").filter(etag::equals).isPresent()
                && random.nextBoolean()) {
            return CompletableFuture.completedFuture(
                    new OriginResponse(304, headers, OptionalLong.of(0), TestOrigin.source()));
        }
        String start = target + " " + language + " " + (kind == Kind.CHECKED ? "x" : user) + " ";
        String text = start + "#".repeat(kind == Kind.LARGE ? 200_000 : 100) + "END";
        byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        var body = new TestOrigin.Body();
        int middle = bytes.length / 2;
        boolean breaks = kind == Kind.BROKEN && random.nextInt(2) == 0;
        boolean sized = random.nextBoolean();
        var response = new CompletableFuture<OriginResponse>();
        Thread.ofVirtual()
                .start(
                        () -> {
                            response.complete(
                                    new OriginResponse(
                                            200,
                                            headers,
                                            sized
                                                    ? OptionalLong.of(bytes.length)
                                                    : OptionalLong.empty(),
                                            body));
                            body.send(java.util.Arrays.copyOf(bytes, middle));
                            Thread.yield();
                            if (breaks) {
                                body.fail(new IOException("broken off"));
                                return;
                            }
                            body.send(java.util.Arrays.copyOfRange(bytes, middle, bytes.length));
                            body.end();
                        });
        return response;
    }

    @Test
    void nobodyGetsWhatIsForAnother() throws Exception {
        clients(60);
    }

    @Tag("heavy")
    @Test
    void norDoesItWithMoreRequests() throws Exception {
        clients(500);
    }

    private void clients(int requests) throws Exception {
        try (var serving =
                new CacheServing(
                        options ->
                                options.disk(folder.resolve("cache"), 4 << 20)
                                        .memoryBody(10_000)
                                        .memory(1 << 20)
                                        .maxVariants(3))) {
            serving.origin.answersLater(this::respond);
            List<CompletableFuture<Integer>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int seed = i;
                clients.add(
                        CompletableFuture.supplyAsync(
                                () -> client(serving, seed, requests), VIRTUAL));
            }
            int whole = 0;
            for (CompletableFuture<Integer> client : clients) {
                whole += client.get(120, TimeUnit.SECONDS);
            }
            CacheStats stats = serving.cache.stats();
            assertTrue(whole > CLIENTS * requests / 2, whole + " of all: " + stats);
            assertTrue(stats.hits() > CLIENTS * requests / 20, stats.toString());
            assertEquals(0, serving.cache.waiting());
        }
    }

    private static final java.util.concurrent.Executor VIRTUAL =
            task -> Thread.ofVirtual().start(task);

    /** Returns the number of whole responses. */
    private static int client(CacheServing serving, int seed, int requests) {
        var random = new Random(seed);
        int whole = 0;
        for (int i = 0; i < requests; i++) {
            Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
            String target = "/" + kind + "-" + random.nextInt(3);
            String language = List.of("de", "en", "fr", "none").get(random.nextInt(4));
            String user = random.nextInt(3) > 0 ? "nobody" : "user" + seed;
            var fields = new ArrayList<String>();
            if (!language.equals("none")) {
                fields.add("Accept-Language: " + language);
            }
            if (!user.equals("nobody")) {
                fields.add("Authorization: " + user);
            }
            boolean part = random.nextInt(6) == 0;
            if (part) {
                fields.add("Range: bytes=0-");
            }
            if (random.nextInt(20) == 0) {
                serving.clock.advance(1);
            }
            try (Client client = serving.client()) {
                switch (random.nextInt(30)) {
                    case 0 -> client.ask("POST", target, "Content-Length: 0");
                    case 1 -> serving.cache.purge("http://a" + target);
                    case 2 -> client.send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
                    default -> whole += check(client, kind, target, language, user, fields);
                }
            } catch (IOException e) {
                // broken off, and the client has noticed
            }
        }
        return whole;
    }

    private static int check(
            Client client,
            Kind kind,
            String target,
            String language,
            String user,
            List<String> fields)
            throws IOException {
        Answer answer = client.ask("GET", target, fields.toArray(String[]::new));
        if (answer.status() == 500) {
            return 0;
        }
        String text = answer.text();
        assertTrue(answer.status() == 200 || answer.status() == 206, answer.status() + target);
        assertTrue(text.endsWith("#END"), () -> target + " is truncated: " + text.length());
        String[] start = text.split(" ");
        assertEquals(target, start[0]);
        assertEquals(language, start[1], target);
        if (kind != Kind.CHECKED) {
            assertEquals(user, start[2], target); // none of them is public
        }
        boolean reused = answer.fields().containsKey("Age");
        assertTrue(!kind.personal || !reused, target);
        return 1;
    }
}

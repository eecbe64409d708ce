// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Handler;
import io.sirocco.http.Response;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Scripts that read the body of the response that they inspect. */
@ExtendWith(LoadedLanguage.class)
class InspectedBodyTest {
    private static final int MAX = 1000;

    @TempDir Path folder;

    private static Response source(String... parts) {
        var left = new ArrayDeque<>(List.of(parts));
        return Response.stream(
                () ->
                        CompletableFuture.supplyAsync(
                                () -> left.isEmpty() ? new byte[0] : left.poll().getBytes()));
    }

    private Handler handler() throws Exception {
        Path file = Files.writeString(folder.resolve(".file"), "of a file");
        return request ->
                switch (request.path()) {
                    case "/bytes" -> Response.text("of bytes").header("A", "b").status(201);
                    case "/json" -> Response.json("{\"a\":[1]}");
                    case "/file" -> Response.file(file);
                    case "/stream" -> Response.stream(out -> out.write("of a stream".getBytes()));
                    case "/source" -> source("of ", "a source");
                    case "/later" ->
                            Response.async(
                                    CompletableFuture.supplyAsync(() -> Response.text("later")));
                    case "/latin" ->
                            Response.bytes("caf\u00e9".getBytes(StandardCharsets.ISO_8859_1))
                                    .contentType("text/plain; charset=ISO-8859-1");
                    case "/none" -> Response.empty(204);
                    case "/long" -> Response.text("x".repeat(MAX + 1));
                    case "/longStream" -> source("x".repeat(MAX), "x");
                    case "/breaks" ->
                            Response.stream(
                                    () ->
                                            CompletableFuture.failedFuture(
                                                    new IllegalStateException("broken")));
                    case "/never" -> Response.stream(CompletableFuture::new);
                    default -> Response.text("other");
                };
    }

    @ParameterizedTest
    @EnumSource(ExecutionMode.class)
    void theBodyOfEveryKindOfResponse(ExecutionMode mode) throws Exception {
        Site.write(
                folder,
                "_.js",
                """
                export async function inspectResponse(request, response) {
                    switch (request.query.get("read")) {
                        case "text": response.headers.set("Body", encodeURI(await response.text())); break;
                        case "bytes": response.headers.set("Body", String((await response.bytes()).length)); break;
                        case "json": response.headers.set("Body", String((await response.json()).a[0])); break;
                        case "change": response.body = (await response.text()).toUpperCase(); break;
                        case "twice": response.body = (await response.text()) + (await response.bytes()).length; break;
                        case "catch": await response.text().catch((e) => response.headers.set("Body", e.message));
                    }
                }
                """);
        try (var site =
                new Site(
                        folder,
                        mode,
                        options -> options.maxBodyBytes(MAX).timeout(Duration.ofSeconds(2)),
                        handler())) {
            String[][] bodies = {
                {"/bytes", "of bytes"}, {"/file", "of a file"}, {"/stream", "of a stream"},
                {"/source", "of a source"}, {"/later", "later"}, {"/json", "{\"a\":[1]}"},
            };
            for (String[] each : bodies) {
                assertEquals(each[1], site.text(each[0]), "unread");
                Site.Reply read = site.get(each[0] + "?read=text");
                assertEquals(each[1], read.body(), each[0]);
                assertEquals(each[1].length() + "", read.header("Content-Length"));
                assertEquals(
                        each[1].length() + "", site.get(each[0] + "?read=bytes").header("Body"));
                assertEquals(each[1].toUpperCase(), site.text(each[0] + "?read=change"));
                assertEquals(each[1] + each[1].length(), site.text(each[0] + "?read=twice"));
            }
            Site.Reply kept = site.get("/bytes?read=text");
            assertEquals(201, kept.status());
            assertEquals("b", kept.header("A"));
            assertEquals("1", site.get("/json?read=json").header("Body"));
            assertEquals(500, site.status("/bytes?read=json"));
            assertEquals("caf%C3%A9", site.get("/latin?read=text").header("Body"));
            assertEquals("", site.get("/none?read=text").header("Body"));
            Site.Reply head = site.send("HEAD", "/bytes?read=text", "");
            assertEquals("8", head.header("Content-Length"));
            assertEquals("", head.header("Body"));
        }
    }

    @Test
    void aBodyThatCannotBeRead() throws Exception {
        Site.write(
                folder,
                "_.js",
                """
                export async function inspectResponse(request, response) {
                    const read = request.query.get("read");
                    if (read === "text") await response.text();
                    if (read === "catch") await response.text().catch((e) => response.headers.set("Error", e.message));
                    if (read === "late") setTimeout(() => response.text().catch((e) => kv.set("late", e.message)), 1);
                    if (read === "kv") response.body = kv.get("late") ?? "";
                }
                """);
        try (var site =
                new Site(
                        folder,
                        ExecutionMode.VIRTUAL,
                        options -> options.maxBodyBytes(MAX).timeout(Duration.ofSeconds(2)),
                        handler())) {
            String tooLong = "The body of the response is longer than maxBodyBytes.";
            assertEquals(500, site.status("/long?read=text"));
            Site.Reply passes = site.get("/long?read=catch");
            assertEquals(tooLong, passes.header("Error"));
            assertEquals("x".repeat(MAX + 1), passes.body(), "its length was known");
            assertEquals(500, site.status("/longStream?read=text"));
            assertEquals(500, site.status("/longStream?read=catch"), "a part of it is gone");
            assertEquals("x".repeat(MAX + 1), site.text("/longStream"));
            assertEquals(500, site.status("/breaks?read=text"));
            assertEquals(504, site.status("/never?read=text"));
            assertEquals("other", site.text("/other?read=late"));
            assertTrue(site.text("/other?read=kv").length() < 100);
            Site.await("everything to end", site.scripts::isQuiet);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.TransportKind;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What redbot and httplint (both from PyPI) say of our responses, compared line by line with {@code
 * redbot.expected} and {@code httplint.expected}. redbot asks by itself, with conditions, ranges
 * and codings; httplint is given what it would not ask for. When a line differs for the better, the
 * file changes.
 */
@Timeout(120)
class RedbotTest {
    /** What depends on the moment. */
    private static final Pattern PASSING =
            Pattern.compile("last changed|already been cached|clock is correct|^$|^#|^\\d+ sec");

    @TempDir Path root;
    private Serving serving;

    @BeforeEach
    void serve() throws IOException {
        write("index.html", "<!DOCTYPE html><title>Home</title><p>" + "Welcome. ".repeat(200));
        write("style.css", "p { color: red }\n".repeat(200));
        write("app.js", "let a = 1;\n".repeat(200));
        write("app.js.gz", "");
        Files.write(
                root.resolve("app.js.gz"),
                io.sirocco.web.compress.Coding.GZIP.compress(
                        Files.readAllBytes(root.resolve("app.js"))));
        write("large.txt", "0123456789abcdef\n".repeat(20_000));
        write("list/a.txt", "a");
        serving =
                new Serving(
                        TransportKind.AUTO,
                        root,
                        options ->
                                options.listing(true)
                                        .cacheControl(
                                                List.of("*.css"), "max-age=31536000, immutable")
                                        .cacheControl(List.of("*.html"), "no-cache"));
    }

    private void write(String name, String content) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
        Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2024-02-29T12:34:56Z")));
    }

    @AfterEach
    void stop() {
        serving.close();
    }

    @Test
    void redbotFindsNothingNew() throws Exception {
        String redbot = program("redbot");
        var said = new StringBuilder();
        for (String target :
                List.of("/", "/style.css", "/app.js", "/large.txt", "/list/", "/list", "/none")) {
            String url = "http://127.0.0.1:" + serving.port() + target;
            List<String> lines = run(new byte[0], redbot, "-o", "text", url);
            said.append("\n## ").append(target).append('\n');
            lines.stream()
                    .filter(line -> line.startsWith("  * ")) // under headings, in no certain order
                    .filter(line -> !PASSING.matcher(line).find())
                    .sorted()
                    .forEach(line -> said.append(line.strip()).append('\n'));
        }
        assertEquals(expected("redbot.expected"), said.toString());
    }

    @Test
    void httplintFindsNothingNew() throws Exception {
        String httplint = program("httplint");
        String tag = serving.get("/style.css").field("ETag");
        var said = new StringBuilder();
        for (String[] question :
                new String[][] {
                    {"GET", "/style.css", "Range: bytes=0-9"},
                    {"GET", "/style.css", "Range: bytes=0-9,20-29"},
                    {"GET", "/style.css", "Range: bytes=100000-"},
                    {"GET", "/style.css", "If-None-Match: TAG"},
                    {"GET", "/style.css", "If-Match: \"other\""},
                    {"GET", "/style.css", "Accept-Encoding: gzip"},
                    {"GET", "/style.css", "Accept-Encoding: br"},
                    {"GET", "/style.css", "Accept-Encoding: zstd"},
                    {"GET", "/app.js", "Accept-Encoding: gzip"},
                    {"GET", "/list/", "Accept: application/json"},
                    {"OPTIONS", "/style.css", "Accept: */*"},
                    {"DELETE", "/style.css", "Accept: */*"},
                    {"GET", "/a%2fb", "Accept: */*"},
                }) {
            String line = question[0] + " " + question[1];
            byte[] answer = raw(line, question[2].replace("TAG", tag));
            said.append("\n## ").append(line).append(", ").append(question[2]).append('\n');
            run(answer, httplint, "-n").stream()
                    .filter(text -> !PASSING.matcher(text).find())
                    .forEach(text -> said.append(text).append('\n'));
        }
        assertEquals(expected("httplint.expected"), said.toString());
    }

    private byte[] raw(String line, String field) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), serving.port())) {
            String head = line + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + field;
            socket.getOutputStream().write((head + "\r\n\r\n").getBytes(UTF_8));
            return socket.getInputStream().readAllBytes();
        }
    }

    private static String program(String name) {
        for (String folder : System.getenv("PATH").split(File.pathSeparator)) {
            if (Files.isExecutable(Path.of(folder, name))) {
                return Path.of(folder, name).toString();
            }
        }
        assumeTrue(false, name + " is not installed (pip install redbot)");
        return "";
    }

    /** Its lines without colours. */
    private static List<String> run(byte[] input, String... command) throws Exception {
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (var in = process.getOutputStream()) {
            in.write(input);
        } catch (IOException e) {
            // it reads no more than it needs
        }
        String all = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertTrue(process.waitFor(30, TimeUnit.SECONDS), () -> Arrays.toString(command));
        return all.replaceAll("\u001b\\[[0-9;]*m", "").lines().toList();
    }

    /** Without the comments. */
    private static String expected(String file) throws IOException {
        try (var in = RedbotTest.class.getResourceAsStream(file)) {
            return new String(in.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("# "))
                    .map(line -> line + "\n")
                    .collect(Collectors.joining());
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code sirocco home --demo} in this JVM. Used by one thread. */
final class RunningHome implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("(?:udp|http)://127\\.0\\.0\\.1:(\\d+)");

    final Path folder;
    final String pin;
    final String firstLine;
    private final int udp;
    private final int http;
    private final CompletableFuture<Runnable> stop = new CompletableFuture<>();
    private final CompletableFuture<Integer> status = new CompletableFuture<>();
    private final HttpClient client = HttpClient.newHttpClient();

    /** What a command printed. */
    record Output(int status, String out, String err) {}

    RunningHome(Path folder, String... more) throws Exception {
        this.folder = folder;
        List<String> words =
                new ArrayList<>(
                        List.of("--demo", "--dir", folder.toString(), "--admin", "127.0.0.1:0"));
        words.addAll(List.of(more));
        var out = new PipedWriter();
        var lines = new BufferedReader(new PipedReader(out));
        var line = new CommandLine(new HomeCommand(stop::complete));
        line.setOut(new PrintWriter(out));
        Thread.ofPlatform()
                .name("home")
                .start(() -> status.complete(line.execute(words.toArray(String[]::new))));
        String first = lines.readLine();
        firstLine = first;
        udp = port(first);
        Path file = Path.of(first.replaceFirst(".*PIN in ", "")); // the output is no terminal
        pin = Files.readString(file).strip();
        http = port(lines.readLine());
        awaitScripts();
    }

    /** Until they are running, calls return nil. */
    private void awaitScripts() throws Exception {
        String call = JsonMapper.shared().writeValueAsString(new Script("HallLamp:get(0)"));
        while (post("/home/script", call).body().contains("\"value\":\"nil\"")) {
            LockSupport.parkNanos(200_000);
        }
    }

    private static int port(String line) {
        return PORT.matcher(line)
                .results()
                .map(MatchResult::group)
                .map(found -> Integer.parseInt(found.replaceFirst(".*:", "")))
                .findFirst()
                .orElseThrow(() -> new AssertionError(line));
    }

    /** Runs a tool with the address and the keys of this controller. */
    Output tool(String name, String... words) {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                name,
                                "--address",
                                "127.0.0.1:" + udp,
                                "--keys",
                                folder.resolve("keys.json").toString()));
        all.addAll(List.of(words));
        return run(all.toArray(String[]::new));
    }

    /** Runs a command line of {@code sirocco home}. */
    static Output run(String... words) {
        var line = new CommandLine(new HomeCommand(action -> {}));
        var out = new StringWriter();
        var err = new StringWriter();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        line.setExecutionExceptionHandler(
                (failure, command, parsed) -> {
                    command.getErr().println(failure.getMessage());
                    return 1;
                });
        return new Output(line.execute(words), out.toString(), err.toString());
    }

    int udpPort() {
        return udp;
    }

    String url(String path) {
        return "http://localhost:" + http + path;
    }

    /** Posts JSON, or what else the headers say. */
    HttpResponse<String> post(String path, String body, String... headers) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url(path)));
        request.header("Content-Type", "application/json");
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(
                request.POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    }

    /** Posts a body as a form of a page does. */
    HttpResponse<String> postForm(String path, String body) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create(url(path)))
                        .header("Content-Type", "text/plain")
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create(url(path))).build(), BodyHandlers.ofString());
    }

    /** Runs a script by the console, which must succeed; returns its value. */
    String script(String script) throws Exception {
        String body = JsonMapper.shared().writeValueAsString(new Script(script));
        HttpResponse<String> response = post("/home/script", body);
        JsonNode json = JsonMapper.shared().readTree(response.body());
        assertEquals(200, response.statusCode(), response.body());
        return json.get("value").asString();
    }

    private record Script(String script) {}

    @Override
    public void close() {
        stop.orTimeout(30, TimeUnit.SECONDS).join().run();
        assertEquals(0, status.orTimeout(30, TimeUnit.SECONDS).join());
        client.shutdownNow();
    }
}

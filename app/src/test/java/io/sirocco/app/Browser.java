// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A page in Chromium without a screen, driven through its DevTools protocol. Its main method takes
 * pictures: {@code URL WIDTH light|dark SECONDS FILE}. Used by one thread.
 */
public final class Browser implements AutoCloseable {
    private static final Path PROGRAM = Path.of("/usr/bin/chromium");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final JsonMapper json = JsonMapper.shared();
    private final Path profile;
    private final Process process;
    private final HttpClient http = HttpClient.newHttpClient();
    private final WebSocket socket;
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> asked = new ConcurrentHashMap<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private volatile String certificate = "";

    /** Starts a Chromium with further options; the test is skipped where there is none. */
    public Browser(String... options) throws Exception {
        assumeTrue(Files.isExecutable(PROGRAM), "chromium");
        profile = Files.createTempDirectory("chromium");
        var command =
                new ArrayList<>(
                        List.of(
                                PROGRAM.toString(),
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-background-networking",
                                "--no-first-run",
                                "--remote-debugging-port=0",
                                "--user-data-dir=" + profile));
        command.addAll(List.of(options));
        command.add("about:blank");
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        socket =
                http.newWebSocketBuilder()
                        .buildAsync(URI.create(page(port())), new Listener())
                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        send("Runtime.enable", Map.of());
        send("Log.enable", Map.of());
        send("Page.enable", Map.of());
        send("Network.enable", Map.of());
    }

    private int port() throws IOException {
        BufferedReader out = process.inputReader();
        for (String line; (line = out.readLine()) != null; ) {
            if (line.startsWith("DevTools listening on ")) {
                Thread.ofVirtual().start(() -> drain(out));
                return URI.create(line.substring("DevTools listening on ".length())).getPort();
            }
        }
        throw new IOException("Chromium has ended without a word of its port");
    }

    /** So that it never waits for us. */
    private static void drain(BufferedReader out) {
        try {
            while (out.readLine() != null) {}
        } catch (IOException e) {
            // it has ended
        }
    }

    private String page(int port) throws Exception {
        URI list = URI.create("http://127.0.0.1:" + port + "/json/list");
        Instant end = Instant.now().plus(PATIENCE);
        while (Instant.now().isBefore(end)) {
            String body =
                    http.send(HttpRequest.newBuilder(list).build(), BodyHandlers.ofString()).body();
            for (JsonNode target : json.readTree(body)) {
                if (target.get("type").asString().equals("page")) {
                    return target.get("webSocketDebuggerUrl").asString();
                }
            }
        }
        throw new IOException("Chromium has no page");
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence piece, boolean last) {
            text.append(piece);
            if (last) {
                told(json.readTree(text.toString()));
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }

    private void told(JsonNode message) {
        if (message.has("id")) {
            asked.remove(message.get("id").asInt()).complete(message);
            return;
        }
        JsonNode what = message.get("params");
        switch (message.get("method").asString()) {
            case "Runtime.exceptionThrown" -> complaints.add(what.toString());
            case "Runtime.consoleAPICalled" -> complaints.add(what.get("args").toString());
            case "Log.entryAdded" -> {
                if (what.get("entry").get("level").asString().equals("error")) {
                    complaints.add(what.get("entry").toString());
                }
            }
            case "Network.responseReceived" -> {
                if (what.get("type").asString().equals("Document")) {
                    certificate = what.at("/response/securityDetails/subjectName").asString("");
                }
            }
            default -> {}
        }
    }

    private JsonNode send(String method, Map<String, Object> params) throws Exception {
        int id = ids.incrementAndGet();
        var answer = new CompletableFuture<JsonNode>();
        asked.put(id, answer);
        socket.sendText(
                json.writeValueAsString(Map.of("id", id, "method", method, "params", params)),
                true);
        JsonNode message = answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (message.has("error")) {
            throw new IOException(method + ": " + message.get("error"));
        }
        return message.get("result");
    }

    /** Goes to a page; answers Chromium's word for what is wrong with it, or nothing. */
    public String open(String url) throws Exception {
        return send("Page.navigate", Map.of("url", url)).path("errorText").asString("");
    }

    /** Whom the certificate of the last page is for; empty where it had none. */
    public String certificate() {
        return certificate;
    }

    /** As a screen of so many pixels, in a light or a dark scheme. */
    public void screen(int width, int height, String scheme) throws Exception {
        send(
                "Emulation.setDeviceMetricsOverride",
                Map.of(
                        "width",
                        width,
                        "height",
                        height,
                        "deviceScaleFactor",
                        1,
                        "mobile",
                        width < 600));
        send(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** What an expression of JavaScript comes to. */
    public JsonNode value(String expression) throws Exception {
        JsonNode result =
                send("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true));
        if (result.has("exceptionDetails")) {
            throw new IOException(expression + ": " + result.get("exceptionDetails"));
        }
        JsonNode value = result.get("result").get("value");
        return value == null ? json.nullNode() : value;
    }

    /** Waits until an expression of JavaScript is true. */
    public void until(String expression) throws Exception {
        Instant end = Instant.now().plus(PATIENCE);
        String attempt = "(() => { try { return !!(%s) } catch { return false } })()";
        while (!isTrue(attempt.formatted(expression))) {
            if (Instant.now().isAfter(end)) {
                throw new AssertionError(
                        expression + " is not true; the page says: " + text() + complaints);
            }
            Thread.sleep(20);
        }
    }

    /** Not yet, while one page gives way to the next. */
    private boolean isTrue(String expression) throws Exception {
        try {
            return value(expression).asBoolean(false);
        } catch (IOException e) {
            if (e.getMessage().contains("Inspected target navigated or closed")) {
                return false;
            }
            throw e;
        }
    }

    public String text() throws Exception {
        return value("document.body.innerText").asString("");
    }

    /** What was written to the console, thrown or refused by the page's policy. */
    public List<String> complaints() {
        return complaints;
    }

    public void picture(Path file) throws Exception {
        JsonNode size = value("[document.documentElement.scrollWidth, document.body.scrollHeight]");
        JsonNode result =
                send(
                        "Page.captureScreenshot",
                        Map.of(
                                "format",
                                "png",
                                "captureBeyondViewport",
                                true,
                                "clip",
                                Map.of(
                                        "x", 0,
                                        "y", 0,
                                        "width", size.get(0).asInt(),
                                        "height", size.get(1).asInt() + 24,
                                        "scale", 1)));
        Files.write(file, Base64.getDecoder().decode(result.get("data").asString()));
    }

    /** A picture for those who want to look: {@code -Dpictures=FOLDER}. */
    public void shown(String name) throws Exception {
        String folder = System.getProperty("pictures");
        if (folder != null) {
            picture(Path.of(folder, name + ".png"));
        }
    }

    @Override
    public void close() throws IOException {
        socket.abort();
        http.shutdownNow();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
        try (var files = Files.walk(profile)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        }
    }

    public static void main(String[] args) throws Exception {
        try (var browser = new Browser()) {
            int width = Integer.parseInt(args[1]);
            browser.screen(width, width < 600 ? 844 : 800, args[2]);
            browser.open(args[0]);
            Thread.sleep(1000 * Long.parseLong(args[3]));
            browser.picture(Path.of(args[4]));
            browser.complaints().forEach(System.err::println);
        }
    }
}

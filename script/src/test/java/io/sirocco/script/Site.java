// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Handler;
import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.client.ClientRequest;
import io.sirocco.http.client.HttpClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A server with a folder of scripts, and a client of it. Any thread. */
final class Site implements AutoCloseable {
    /** Responds with what it has received. */
    static final Handler ECHO =
            request ->
                    Response.text(
                            "handler "
                                    + request.method()
                                    + " "
                                    + request.target()
                                    + " "
                                    + request.body().text());

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    final Path folder;
    final Scripts scripts;
    final Server server;
    private final HttpClient client;

    /** How long contexts that are in use may take when this is closed. */
    Duration closing = Duration.ofSeconds(5);

    Site(Path folder) {
        this(folder, options -> {});
    }

    Site(Path folder, Consumer<ScriptOptions> options) {
        this(folder, ExecutionMode.VIRTUAL, options, ECHO);
    }

    Site(Path folder, ExecutionMode mode, Consumer<ScriptOptions> options, Handler handler) {
        this(folder, mode, options, handler, true);
    }

    /** One whose scripts are still loaded. */
    static Site starting(Path folder, Consumer<ScriptOptions> options) {
        return new Site(folder, ExecutionMode.VIRTUAL, options, ECHO, false);
    }

    private Site(
            Path folder,
            ExecutionMode mode,
            Consumer<ScriptOptions> options,
            Handler handler,
            boolean ready) {
        this.folder = folder;
        try {
            scripts = Scripts.of(folder, options);
            client = HttpClient.create();
            if (ready) scripts.ready().toCompletableFuture().join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server =
                Server.start(
                        config ->
                                config.listen(new InetSocketAddress("127.0.0.1", 0))
                                        .loops(2)
                                        .executionMode(mode)
                                        .monitor(scripts.monitor()),
                        routes -> routes.filter(scripts).any("/*", handler));
    }

    /** Writes a script. */
    static void write(Path folder, String name, String text) {
        try {
            Path file = folder.resolve(name);
            Files.createDirectories(file.getParent());
            Path fresh = file.resolveSibling(".fresh");
            Files.writeString(fresh, text);
            Files.move(fresh, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void write(String name, String text) {
        write(folder, name, text);
    }

    /** Writes {@code /run}, which responds with the result of the code that is sent to it. */
    static void writeRun(Path folder) {
        write(
                folder,
                "run.js",
                "const Async = (async () => {}).constructor;"
                        + " export const generateResponse = async (q) => ({ body: String(await new Async('q', await q.text())(q)) });");
    }

    /** Returns the result of code at {@code /run}, or the status if it is not 200. */
    String run(String code) {
        Reply reply = send("POST", "/run", code);
        return reply.status() == 200 ? reply.body() : String.valueOf(reply.status());
    }

    /** A response. */
    record Reply(int status, Headers headers, String body) {
        String header(String name) {
            return String.join(" | ", headers.all(name));
        }
    }

    Reply get(String target, String... headers) {
        return send("GET", target, "", headers);
    }

    Reply send(String method, String target, String body, String... headers) {
        return sendAsync(method, target, body, headers).join();
    }

    CompletableFuture<Reply> sendAsync(
            String method, String target, String body, String... headers) {
        var request =
                ClientRequest.of(method, "http://127.0.0.1:" + server.port())
                        .target(target)
                        .headers(Headers.of(headers));
        if (!body.isEmpty()) {
            request = request.body(body);
        }
        return client.sendAsync(request)
                .thenCompose(
                        response ->
                                response.body()
                                        .bytesAsync(64 << 20)
                                        .thenApply(
                                                bytes ->
                                                        new Reply(
                                                                response.status(),
                                                                response.headers(),
                                                                new String(
                                                                        bytes,
                                                                        StandardCharsets.UTF_8))));
    }

    String text(String target, String... headers) {
        return get(target, headers).body();
    }

    int status(String target, String... headers) {
        return get(target, headers).status();
    }

    /** Returns the first line of the response to a target that is sent as it is. */
    String raw(String target) {
        try (var socket = new Socket("127.0.0.1", server.port())) {
            String request = "GET " + target + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            byte[] all = socket.getInputStream().readAllBytes();
            return new String(all, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a request, and disconnects after the first byte of the response or a moment. */
    void abort(String target) {
        try (var socket = new Socket("127.0.0.1", server.port())) {
            String request = "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.setSoTimeout(100);
            socket.getInputStream().read();
        } catch (java.net.SocketTimeoutException e) {
            // it does not respond
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void await(String what, BooleanSupplier happened) {
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        while (!happened.getAsBoolean()) {
            if (System.nanoTime() - giveUp > 0) {
                throw new AssertionError("waited in vain for " + what);
            }
            LockSupport.parkNanos(1_000_000); // the contexts need the cores
        }
    }

    @Override
    public void close() {
        server.stop(Duration.ofSeconds(5));
        scripts.close(closing);
        client.close();
    }
}

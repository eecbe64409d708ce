// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Server;
import io.sirocco.net.Clock;
import io.sirocco.web.files.Client;
import io.sirocco.web.files.Client.Answer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A server with a cache before a {@link TestOrigin}. Any thread. */
final class CacheServing implements AutoCloseable {
    final TestClock clock = new TestClock();
    final TestOrigin origin = new TestOrigin();
    final ResponseCache cache;
    private final Server server;

    CacheServing() {
        this(options -> {});
    }

    CacheServing(Consumer<CacheOptions> options) {
        this(options, Clock.system());
    }

    CacheServing(Consumer<CacheOptions> options, Clock ofTheServer) {
        cache =
                ResponseCache.create(
                        all -> {
                            all.clock(clock);
                            options.accept(all);
                        });
        server =
                Server.start(
                        config ->
                                config.listen(new InetSocketAddress("127.0.0.1", 0))
                                        .loops(2)
                                        .clock(ofTheServer),
                        routes -> {
                            routes.route("*", "/*", request -> cache.respond(request, origin))
                                    .executionMode(ExecutionMode.INLINE);
                            ResponseCache shop = cache.withRules(rules -> rules.ignoreQuery("x"));
                            routes.route("*", "/shop/*", request -> shop.respond(request, origin))
                                    .executionMode(ExecutionMode.INLINE);
                            routes.route(
                                            "*",
                                            "/virtual/*",
                                            request -> cache.respond(request, origin))
                                    .executionMode(ExecutionMode.VIRTUAL);
                            routes.route("*", "/pool/*", request -> cache.respond(request, origin))
                                    .executionMode(ExecutionMode.POOL);
                        });
    }

    int port() {
        return server.port();
    }

    Client client() throws IOException {
        return new Client(server.port());
    }

    Answer get(String target, String... fields) throws IOException {
        return ask("GET", target, fields);
    }

    Answer ask(String method, String target, String... fields) throws IOException {
        try (var client = client()) {
            return client.ask(method, target, fields);
        }
    }

    /** Sends a request of another client, whose answer comes later. */
    CompletableFuture<Answer> later(String target, String... fields) {
        var answer = new CompletableFuture<Answer>();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                answer.complete(get(target, fields));
                            } catch (Throwable e) {
                                answer.completeExceptionally(e);
                            }
                        });
        return answer;
    }

    static Answer answer(CompletableFuture<Answer> later) throws Exception {
        return later.get(20, TimeUnit.SECONDS);
    }

    /** Waits until something that nobody reports has happened. */
    static void until(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("it did not happen within 20 s");
            }
            Thread.onSpinWait();
            Thread.yield();
        }
    }

    @Override
    public void close() {
        server.close();
        cache.close();
    }
}

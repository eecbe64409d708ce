// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Filter;
import io.sirocco.http.Monitor;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.locks.Caller;
import io.sirocco.http.locks.ClosedLoop;
import io.sirocco.http.locks.LockedServer;
import io.sirocco.http.locks.Pattern;
import io.sirocco.http.locks.SharedLock;
import io.sirocco.http.locks.SharedLock.Kind;
import io.sirocco.net.Clock;
import io.sirocco.net.TransportKind;
import io.sirocco.web.access.ConnectionLimit;
import io.sirocco.web.access.RateLimit;
import io.sirocco.web.access.Rejections;
import io.sirocco.web.cache.ResponseCache;
import io.sirocco.web.compress.Compression;
import io.sirocco.web.log.AccessLog;
import io.sirocco.web.log.LogFormat;
import io.sirocco.web.proxy.Proxy;
import io.sirocco.web.proxy.ProxyOptions;
import io.sirocco.web.proxy.Upstream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A proxy with rate limits, an access log and a cache, whose options, monitor and filters take a
 * lock that the handlers of its own server and of the upstream server take, too: every connection
 * is answered, with its own bytes.
 */
@Timeout(60)
final class ProxyLocksTest {
    private static final int CONNECTIONS = 32;
    private static final int AT_ONCE = 6;
    private static final int ADDRESSES = 64;

    @TempDir Path folder;
    private final Rejections rejections = new Rejections();

    static Stream<Arguments> locks() {
        return Stream.of(TransportKind.IO_URING, TransportKind.EPOLL, TransportKind.NIO)
                .flatMap(t -> Arrays.stream(Kind.values()).map(kind -> Arguments.of(t, kind)));
    }

    /** All kinds over one transport, and over the others the two that differ most. */
    static Stream<Arguments> someLocks() {
        return locks().filter(
                        each ->
                                each.get()[0] == TransportKind.IO_URING
                                        || each.get()[1] == Kind.MONITOR
                                        || each.get()[1] == Kind.LOCK);
    }

    @ParameterizedTest
    @MethodSource("someLocks")
    void aProxyWithRateLimits(TransportKind transport, Kind kind) throws Exception {
        limited(transport, kind, 10);
    }

    @Tag("heavy")
    @ParameterizedTest
    @MethodSource("locks")
    void aProxyWithRateLimitsForLonger(TransportKind transport, Kind kind) throws Exception {
        limited(transport, kind, 20);
    }

    private void limited(TransportKind transport, Kind kind, int questions) throws Exception {
        List<String> paths =
                List.of(
                        "GET /p/inline/",
                        "GET /own/virtual/",
                        "POST /p/virtual/",
                        "GET /own/inline/",
                        "GET /limited/inline/",
                        "GET /p/async-inline/");
        run(
                transport,
                kind,
                questions,
                (port, c) ->
                        c % 8 == 7
                                ? flooding(new Caller(port))
                                : LockedServer.talk(new Caller(port), c, 1, paths));
        assertTrue(rejections.counts().get("rate-limit") > 0);
    }

    @ParameterizedTest
    @MethodSource("someLocks")
    void pipelinedThroughAProxy(TransportKind transport, Kind kind) throws Exception {
        pipelined(transport, kind, 7);
    }

    @Tag("heavy")
    @ParameterizedTest
    @MethodSource("locks")
    void pipelinedThroughAProxyForLonger(TransportKind transport, Kind kind) throws Exception {
        pipelined(transport, kind, 20);
    }

    private void pipelined(TransportKind transport, Kind kind, int questions) throws Exception {
        List<String> paths =
                List.of(
                        "GET /own/inline/",
                        "GET /p/inline/",
                        "GET /own/virtual/",
                        "POST /p/inline/",
                        "GET /cached/virtual/",
                        "GET /p/stream/",
                        "GET /packed/inline/");
        run(
                transport,
                kind,
                questions,
                (port, c) -> LockedServer.talk(new Caller(port), c, AT_ONCE, paths));
    }

    private interface Opener {
        ClosedLoop.Talk open(int port, int connection) throws IOException;
    }

    private void run(TransportKind transport, Kind kind, int questions, Opener opener)
            throws Exception {
        var completed = new LongAdder();
        AccessLog log = AccessLog.open(folder.resolve("log"), LogFormat.JSON, 1 << 16);
        try (var lock = SharedLock.of(kind);
                var cache = ResponseCache.create()) {
            var monitor =
                    new Monitor() {
                        @Override
                        public void completed(CompletedRequest request) {
                            lock.use();
                            completed.increment();
                        }
                    };
            try (log;
                    var origin = new LockedServer(transport, lock, _ -> {});
                    var upstream = Upstream.of("http://127.0.0.1:" + origin.port());
                    var front =
                            new LockedServer(
                                    transport,
                                    lock,
                                    config ->
                                            config.listen(new InetSocketAddress("127.0.0.1", 0))
                                                    .admission(
                                                            new ConnectionLimit(
                                                                    1_000, ADDRESSES, rejections))
                                                    .monitor(Monitor.all(List.of(log, monitor))),
                                    routes -> routes(routes, lock, upstream, cache))) {
                ClosedLoop.run(
                        CONNECTIONS,
                        questions,
                        connection -> opener.open(front.port(), connection));
            }
            lock.check();
            assertEquals(completed.sum(), log.written() + log.dropped());
        }
    }

    private void routes(Routes routes, SharedLock lock, Upstream upstream, ResponseCache cache) {
        Filter locked =
                (request, next) -> {
                    lock.use();
                    return next.handle(request);
                };
        routes.any("/p/*", Proxy.to(upstream, options -> options(options, lock).strip("/p")));
        routes.any("/cached/*", proxy(lock, upstream, "/cached", cache));
        routes.group(
                "/packed",
                packed ->
                        packed.filter(Compression.of())
                                .filter(locked)
                                .any("/*", proxy(lock, upstream, "/packed", cache)));
        routes.group(
                "/limited",
                limited ->
                        limited.filter(limit(1_000_000))
                                .filter(locked)
                                .any("/*", proxy(lock, upstream, "/limited", cache)));
        routes.group(
                "/flooded",
                flooded ->
                        flooded.filter(locked)
                                .filter(limit(1))
                                .any("/*", proxy(lock, upstream, "/flooded", cache)));
        for (ExecutionMode mode : List.of(ExecutionMode.INLINE, ExecutionMode.VIRTUAL)) {
            String path = "/own/" + mode.name().toLowerCase(Locale.ROOT) + "/{id}";
            routes.route("GET", path, request -> own(request, lock)).executionMode(mode);
        }
    }

    private Filter limit(long requests) {
        return new RateLimit(
                requests, Duration.ofDays(1), requests, ADDRESSES, Clock.system(), rejections);
    }

    private static Proxy proxy(
            SharedLock lock, Upstream upstream, String path, ResponseCache cache) {
        return Proxy.to(upstream, options -> options(options, lock).strip(path).cache(cache));
    }

    private static ProxyOptions options(ProxyOptions options, SharedLock lock) {
        return options.requestHeader("X-Locked", request -> id(request, lock))
                .responseHeader("X-Locked", request -> id(request, lock));
    }

    private static String id(Request request, SharedLock lock) {
        lock.use();
        return request.header("X-Id").orElseThrow();
    }

    private static Response own(Request request, SharedLock lock) {
        lock.use();
        return Response.bytes(Pattern.of(Integer.parseInt(request.param("id"))));
    }

    /** More requests than it may send: all but one are refused. */
    private static ClosedLoop.Talk flooding(Caller caller) {
        return new ClosedLoop.Talk() {
            @Override
            public void ask(int number) throws IOException {
                caller.send(LockedServer.request("GET /flooded/inline/", number));
            }

            @Override
            public void receive(int number) throws IOException {
                Caller.Answer answer = caller.receive();
                if (answer.status() != 429) {
                    Pattern.check(number, answer.body());
                }
            }

            @Override
            public void close() throws IOException {
                caller.close();
            }
        };
    }
}

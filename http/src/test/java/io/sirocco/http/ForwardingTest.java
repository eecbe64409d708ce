// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.TrustedProxies.Field;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Protocol;
import io.sirocco.net.TransportKind;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the server offers to reverse proxies: responses of others, and upgrades of any kind. */
@Timeout(60)
class ForwardingTest {
    private static final String GET = "GET / HTTP/1.1\nHost: a\n\n";

    private static Serving serving(TransportKind transport, Consumer<Routes> routes) {
        return new Serving(transport, config -> {}, routes);
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"IO_URING", "EPOLL"})
    void headersOfAnotherServerAreSentAtOnceAndUnchanged(TransportKind transport) {
        var later = new CompletableFuture<byte[]>();
        var headers =
                Headers.of(
                        "location", "/a b", "Date", "today", "SERVER", "other", "Trailer", "Sum");
        try (var serving =
                        serving(
                                transport,
                                routes ->
                                        routes.get(
                                                "/",
                                                r ->
                                                        Response.forwarded(
                                                                201, headers, -1, () -> later)));
                Client client = serving.client().send(GET)) {
            client.until("Transfer-Encoding: chunked\r\n\r\n");
            assertEquals(
                    """
                    HTTP/1.1 201 Created
                    location: /a b
                    Date: today
                    SERVER: other
                    Trailer: Sum
                    Transfer-Encoding: chunked

                    """,
                    client.text().replace("\r\n", "\n"));
            later.cancel(false);
            client.untilEnd();
            assertTrue(client.wasReset(), client.toString());
            assertEquals(List.of(), serving.failures());
        }
    }

    @Test
    void whatOnlyTheServerMaySetIsRefused() {
        BodySource none = () -> CompletableFuture.completedFuture(new byte[0]);
        for (String name : List.of("Content-Length", "transfer-encoding", "Connection")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Response.forwarded(200, Headers.of(name, "1"), 1, none));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> Response.forwarded(101, Headers.none(), 0, none));
        assertThrows(
                IllegalArgumentException.class,
                () -> Response.upgrade("echo", c -> null).status(200));
    }

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    private final class Echo implements Protocol {
        @Override
        public int received(Connection connection, byte[] bytes, int from, int to) {
            connection.write(bytes, from, to);
            return to;
        }

        @Override
        public void closed(Connection connection, CloseCause cause) {
            told.add("closed: " + cause);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"IO_URING", "EPOLL"})
    void anUpgradeHandsTheConnectionOver(TransportKind transport) throws Exception {
        try (var serving =
                        serving(
                                transport,
                                routes ->
                                        routes.get(
                                                "/",
                                                r ->
                                                        Response.upgrade("echo/1", c -> new Echo())
                                                                .header("X-A", "b")));
                Client client = serving.client()) {
            client.send("GET / HTTP/1.1\nHost: a\nConnection: upgrade\nUpgrade: echo/1\n\nearly");
            client.until("early");
            assertEquals(
                    """
                    HTTP/1.1 101 Switching Protocols
                    X-A: b
                    Connection: Upgrade
                    Upgrade: echo/1
                    """,
                    client.text()
                            .replace("\r\n", "\n")
                            .replaceAll("(?m)^(Date|Server): .*\n", "")
                            .replace("\nearly", ""));
            client.send(" and late").until(" and late");
            client.end();
            assertEquals("closed: FINISHED", told.poll(20, TimeUnit.SECONDS));
            serving.await("the end", () -> serving.stats().net().connections() == 0);
            assertEquals(0, serving.stats().inProgress());
        }
    }

    @Test
    void anUpgradeOverHttp10IsAnErrorOfTheHandler() {
        try (var serving =
                        serving(
                                TransportKind.NIO,
                                routes -> routes.get("/", r -> Response.upgrade("x", c -> null)));
                Client client = serving.client().send("GET / HTTP/1.0\n\n")) {
            assertTrue(client.untilEnd().startsWith("HTTP/1.1 500 "), client.toString());
        }
    }

    @Test
    void headersOfATrustedProxyAreNamed() {
        Consumer<Routes> routes =
                all -> all.get("/", r -> Response.text(r.trustedHeaders().toString()));
        for (boolean trusted : List.of(true, false)) {
            try (var serving =
                            new Serving(
                                    TransportKind.NIO,
                                    config ->
                                            config.trustedProxies(
                                                    TrustedProxies.of(
                                                            peer -> trusted,
                                                            Field.X_FORWARDED_FOR)),
                                    routes);
                    Client client = serving.client()) {
                client.send("GET / HTTP/1.1\nHost: a\nConnection: close\n\n");
                assertTrue(
                        client.untilEnd().endsWith(trusted ? "\n[X-Forwarded-For]" : "\n[]"),
                        client.toString());
            }
        }
    }

    @Test
    void whoWaitsForTheEndOfARequestIsToldOnce() throws Exception {
        var never = new CompletableFuture<Response>();
        Consumer<Routes> routes =
                all ->
                        all.get(
                                "/{how}",
                                r -> {
                                    String how = r.param("how");
                                    r.onComplete(() -> told.add(how + " 1"));
                                    r.onComplete(() -> told.add(how + " 2"));
                                    return switch (how) {
                                        case "upgrade" ->
                                                Response.upgrade(
                                                        "x", c -> (with, bytes, from, to) -> to);
                                        case "never" -> Response.async(never);
                                        default -> Response.text(how + ".");
                                    };
                                });
        try (var serving = serving(TransportKind.NIO, routes)) {
            for (String how : List.of("plain", "upgrade", "never")) {
                try (Client client = serving.client()) {
                    client.send("GET /" + how + " HTTP/1.1\nHost: a\n\n");
                    switch (how) {
                        case "plain" -> client.until("plain.");
                        case "upgrade" -> client.until("\r\n\r\n");
                        default -> {
                            serving.await("it", () -> serving.stats().inProgress() == 1);
                            client.abort();
                        }
                    }
                    assertEquals(how + " 1", told.poll(20, TimeUnit.SECONDS));
                    assertEquals(how + " 2", told.poll(20, TimeUnit.SECONDS));
                }
            }
            never.cancel(false); // it is in progress until then
            serving.awaitQuiet();
            assertEquals(List.of(), List.copyOf(told));
        }
    }

    /** A handler that wants to start before the body, and its filters where they always run. */
    @Test
    void aHandlerConfiguresItsRoute() {
        var handler =
                new Handler() {
                    @Override
                    public Response handle(Request request) {
                        return Response.text(request.loop().isOwnThread() + ".");
                    }

                    @Override
                    public void configure(Route route) {
                        route.executionMode(ExecutionMode.INLINE).startBeforeBody();
                    }
                };
        try (var serving =
                        serving(
                                TransportKind.NIO,
                                routes ->
                                        routes.any("/", handler)
                                                .group(
                                                        "/filtered",
                                                        group ->
                                                                group.filter((r, h) -> h.handle(r))
                                                                        .any("", handler)));
                Client client = serving.client()) {
            client.send("POST / HTTP/1.1\nHost: a\nContent-Length: 4\n\n").until("true.");
            client.send("bodyGET /filtered HTTP/1.1\nHost: a\n\n").until("false.");
            assertEquals("HTTP/1.1 200 OK", client.text().substring(0, 15));
        }
    }
}

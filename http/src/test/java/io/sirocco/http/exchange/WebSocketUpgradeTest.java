// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sirocco.http.RequestError;
import io.sirocco.http.Response;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.WebSockets;
import io.sirocco.http.exchange.FakeServer.Asked;
import io.sirocco.http.exchange.FakeStream.Result;
import io.sirocco.net.CloseCause;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The decision on an upgrade to WebSocket (RFC 6455 4.2), on {@link FakeStream}s. */
class WebSocketUpgradeTest {
    private static final List<String> GOOD =
            List.of(
                    "Connection", "Upgrade",
                    "Upgrade", "websocket",
                    "Sec-WebSocket-Version", "13",
                    "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");

    private final CompletableFuture<Response> later = new CompletableFuture<>();
    private final WebSockets agreed =
            WebSockets.of(s -> s.subprotocols("chat", "news").compression(64));
    private final FakeServer server =
            new FakeServer(
                    routes -> {
                        routes.filterAll(
                                (request, next) -> next.handle(request).header("Seen", "yes"));
                        routes.any("/", r -> Response.webSocket(socket -> {}));
                        routes.get(
                                "/agreed",
                                r -> Response.webSocket(agreed, new WebSocketListener() {}));
                        routes.get("/later", r -> Response.async(later));
                    });

    @AfterEach
    void close() {
        server.close();
    }

    private static String[] with(String... more) {
        return Stream.concat(GOOD.stream(), Stream.of(more)).toArray(String[]::new);
    }

    private static String[] but(String name, String value) {
        String[] fields = GOOD.toArray(String[]::new);
        fields[GOOD.indexOf(name) + 1] = value;
        return fields;
    }

    @Test
    void aGoodRequestIsAcceptedAndOver() {
        Asked asked = server.ask("GET", "/", with());
        Result accepted = asked.result();
        assertEquals("upgrade", accepted.end());
        assertEquals(101, accepted.status());
        assertEquals("websocket", accepted.headers().first("Upgrade").orElse(""));
        assertEquals(
                "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
                accepted.headers().first("Sec-WebSocket-Accept").orElse(""));
        assertEquals("yes", accepted.headers().first("Seen").orElse(""), "of a filter");
        assertFalse(accepted.headers().has("Sec-WebSocket-Protocol"));
        assertEquals(0, asked.count(s -> server.context().inProgress));
        assertEquals(List.of("GET / / 101 0 0"), List.copyOf(server.answered));
    }

    @Test
    void aSubprotocolAndCompressionAreAgreedOn() {
        Result accepted =
                server.get(
                        "/agreed",
                        with(
                                "Sec-WebSocket-Protocol",
                                "x, news",
                                "Sec-WebSocket-Extensions",
                                "permessage-deflate"));
        assertEquals("news", accepted.headers().first("Sec-WebSocket-Protocol").orElse(""));
        assertEquals(
                "permessage-deflate",
                accepted.headers().first("Sec-WebSocket-Extensions").orElse("").split(";")[0]);
    }

    @Test
    void aRequestThatIsNoUpgradeIsRefusedByName() {
        Result plain = server.get("/");
        assertEquals(426, plain.status());
        assertEquals("websocket", plain.headers().first("Upgrade").orElse(""));
        Result old = server.get("/", but("Sec-WebSocket-Version", "12"));
        assertEquals(426, old.status());
        assertEquals("13", old.headers().first("Sec-WebSocket-Version").orElse(""));
        assertEquals(400, server.get("/", but("Sec-WebSocket-Key", "short")).status());
        assertEquals(403, server.get("/", with("Origin", "https://other.example")).status());
        assertEquals(400, server.ask("POST", "/", with()).result().status());
        Asked body = server.new Asked().begin(4, "GET", "/", with());
        assertEquals(400, body.result().status());
        assertEquals(
                List.of(
                        RequestError.UPGRADE_MISSING,
                        RequestError.UNKNOWN_WEBSOCKET_VERSION,
                        RequestError.BAD_WEBSOCKET_KEY,
                        RequestError.FOREIGN_ORIGIN,
                        RequestError.BAD_UPGRADE,
                        RequestError.BAD_UPGRADE),
                List.copyOf(server.rules));
    }

    @Test
    void anUpgradeMayBeDecidedOnLater() {
        Asked asked = server.ask("GET", "/later", with());
        assertFalse(asked.isDone());
        later.complete(Response.webSocket(socket -> {}));
        assertEquals("upgrade", asked.result().end());
    }

    @Test
    void aClientThatHasDisconnectedIsNotUpgraded() {
        Asked asked = server.ask("GET", "/later", with());
        asked.run(s -> s.close(CloseCause.RESET));
        later.complete(Response.webSocket(socket -> {}));
        assertEquals("closed", asked.run(s -> {}).result().end());
        assertEquals(0, asked.count(s -> server.context().inProgress));
    }
}

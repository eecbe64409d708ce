// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.web.access.Serving.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Header fields of every response. */
class HeaderRulesTest {
    private static final Predicate<Request> BY_PATH = request -> request.path().equals("/tls");

    private final Serving serving = new Serving();

    private static HeaderRules rules(Map<String, String> set) {
        return new HeaderRules(true, Duration.ZERO, false, set, BY_PATH);
    }

    @Test
    void theSecurityFieldsAreThereUnlessTheHandlerHasItsOwn() throws Exception {
        Response own = Response.text("x").header("x-frame-options", "DENY");
        Handler handler = request -> request.path().equals("/own") ? own : Serving.HELLO;
        try (var site = serving.start(handler, rules(Map.of()))) {
            Reply reply = site.get();
            assertEquals("nosniff", reply.field("X-Content-Type-Options"));
            assertEquals("SAMEORIGIN", reply.field("X-Frame-Options"));
            assertEquals("strict-origin-when-cross-origin", reply.field("Referrer-Policy"));
            assertEquals("", reply.field("Strict-Transport-Security"));
            Reply other = site.ask("127.0.0.1", "GET", "/own");
            assertEquals("DENY", other.field("X-Frame-Options"));
            assertEquals("nosniff", other.field("X-Content-Type-Options"));
        }
    }

    @Test
    void whatTheOperatorSetsGoesBeforeAllElseAndNothingRemoves() throws Exception {
        Response own =
                Response.text("x")
                        .header("Cache-Control", "a")
                        .header("cache-control", "b")
                        .header("Server-Timing", "db;dur=53")
                        .header("X-Frame-Options", "DENY");
        var set = Map.of("Cache-Control", "no-store", "Server-Timing", "", "X-Frame-Options", "");
        try (var site = serving.start(request -> own, rules(set))) {
            Reply reply = site.get();
            assertEquals("no-store", reply.field("Cache-Control"));
            assertEquals("", reply.field("Server-Timing"));
            assertEquals("", reply.field("X-Frame-Options"));
            assertEquals("nosniff", reply.field("X-Content-Type-Options"));
            assertEquals("x", reply.body());
        }
    }

    @Test
    void strictTransportSecurityIsSaidByHttpsOnly() throws Exception {
        var rules = new HeaderRules(false, Duration.ofDays(365), true, Map.of(), BY_PATH);
        try (var site = serving.start(rules)) {
            assertEquals("", site.get().field("Strict-Transport-Security"));
            assertEquals(
                    "max-age=31536000; includeSubDomains",
                    site.ask("127.0.0.1", "GET", "/tls").field("Strict-Transport-Security"));
            assertEquals("", site.get().field("X-Content-Type-Options"));
        }
    }

    @Test
    void refusalsErrorsAndResponsesForLaterHaveTheFieldsToo() throws Exception {
        Handler handler =
                request ->
                        switch (request.path()) {
                            case "/later" -> Response.async(later());
                            case "/stream" -> Response.stream(1, out -> out.write('s'));
                            default -> Serving.HELLO;
                        };
        var deny =
                new AddressRules(
                        Networks.of(List.of()),
                        Networks.of(List.of("127.0.0.2")),
                        serving.rejections);
        try (var site = serving.start(handler, rules(Map.of("A", "1")), deny)) {
            for (var reply :
                    List.of(
                            site.ask("127.0.0.2", "GET", "/"),
                            site.ask("127.0.0.1", "GET", "/later"),
                            site.ask("127.0.0.1", "GET", "/stream"))) {
                assertEquals("1", reply.field("A"));
                assertEquals("nosniff", reply.field("X-Content-Type-Options"));
            }
        }
    }

    private static CompletableFuture<Response> later() {
        return CompletableFuture.supplyAsync(() -> Response.text("later"));
    }

    /** So its encoded image is made once and sent from then on. */
    @Test
    void aConstantResponseIsChangedOnce() {
        FieldChange change = FieldChange.of(io.sirocco.http.Headers.of("A", "1"), Map.of("B", "2"));
        Response constant = Response.text("x");
        assertSame(constant.mapOnce(change), constant.mapOnce(change));
        assertEquals(
                "Content-Type: text/plain; charset=utf-8\r\nA: 1\r\nB: 2\r\n",
                constant.mapOnce(change).headers().toString());
        assertNotSame(Response.text("x").mapOnce(change), Response.text("x").mapOnce(change));
    }

    @Test
    void whatCannotBeSentOrIsTheServersOwnIsRefused() {
        for (var bad :
                List.of(
                        Map.of("A B", "1"),
                        Map.of("A B", ""),
                        Map.of("A", "1\r\nX: 2"),
                        Map.of("Content-Length", "1"),
                        Map.of("Connection", "close"),
                        Map.of("Server", ""))) {
            assertThrows(IllegalArgumentException.class, () -> rules(bad), bad.toString());
        }
    }
}

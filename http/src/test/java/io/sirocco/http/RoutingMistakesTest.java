// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.client.ClientRequest;
import io.sirocco.http.client.HttpClient;
import io.sirocco.net.TransportKind;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Mistakes that would do nothing, or protect nothing, are errors at start that say what to do. */
@Timeout(60)
class RoutingMistakesTest {
    private static final Handler OK = r -> Response.text("ok");
    private static final Filter LOGIN = (r, next) -> Response.empty(401);

    private static String refusal(Consumer<Config> config, Consumer<Routes> routes) {
        var address = new InetSocketAddress("127.0.0.1", 0);
        return assertThrows(
                        IllegalArgumentException.class,
                        () ->
                                Server.create(
                                        c -> {
                                            c.listen(address);
                                            config.accept(c);
                                        },
                                        routes))
                .getMessage();
    }

    private static String refusal(Consumer<Routes> routes) {
        return refusal(c -> {}, routes);
    }

    @Test
    void aFilterBehindItsRoutes() {
        String why = refusal(r -> r.get("/admin", OK).filter(LOGIN));
        assertTrue(why.contains("applies to no route: add it before the routes"), why);
        why = refusal(r -> r.get("/", OK).group("/admin", g -> g.get("/a", OK).filter(LOGIN)));
        assertTrue(why.contains("\"/admin\" applies to no route"), why);
        why = refusal(r -> r.host("a.test", h -> h.get("/a", OK).filter(LOGIN)).get("/", OK));
        assertTrue(why.contains("\"a.test\" applies to no route"), why);
        why = refusal(r -> r.filter(LOGIN));
        assertTrue(why.contains("the server applies to no route"), why);
        Server.create(
                c -> c.port(0),
                r -> r.filter(LOGIN).group("/admin", g -> g.get("/a", OK)).filterAll(LOGIN));
    }

    @Test
    void patternsOfOtherRouters() {
        assertEquals(
                "The path pattern \"/users/:id\" has the segment \":id\"; a parameter is written"
                        + " {id}.",
                refusal(r -> r.get("/users/:id", OK)));
        assertEquals(
                "The path pattern \"/users/<id>\" has the segment \"<id>\"; a parameter is written"
                        + " {id}.",
                refusal(r -> r.get("/users/<id>", OK)));
        assertEquals(
                "The path pattern \"/caf%C3%A9\" has the segment \"caf%C3%A9\"; a literal is not"
                        + " percent-encoded; write \"café\".",
                refusal(r -> r.get("/caf%C3%A9", OK)));
        for (String path : new String[] {"/a/../b", "/./a", "/..", "/a/."}) {
            String dots = refusal(r -> r.get(path, OK));
            assertTrue(
                    dots.endsWith("clients resolve it before they send a path; leave it out."),
                    dots);
        }
        assertTrue(refusal(r -> r.group("/a/..", g -> g.get("/b", OK))).contains("\"..\""));
        String why = refusal(r -> r.get("/img/*.caf%C3%A9", OK));
        assertTrue(why.endsWith("write \".café\"."), why);
        Server.create(c -> c.port(0), r -> r.get("/v1/jobs:cancel", OK).get("/100%", OK));
    }

    @Test
    void methodsInLowerCase() {
        assertEquals(
                "The method \"get\" is not in upper case; write GET.",
                refusal(r -> r.route("get", "/", OK)));
        assertEquals(
                "The method \"Post\" is not in upper case; write POST.",
                refusal(r -> r.route("*", "/", OK).allow("Post")));
        assertTrue(refusal(r -> r.route(null, "/", OK)).contains("\"null\" is not a token"));
    }

    @Test
    void negativeLimitsAndNulls() {
        Map<String, Consumer<Config>> configs = new LinkedHashMap<>();
        Duration negative = Duration.ofSeconds(-1);
        configs.put("idleTimeout must be zero", c -> c.idleTimeout(negative));
        configs.put("headerTimeout must be zero", c -> c.headerTimeout(negative));
        configs.put("writeTimeout must be zero", c -> c.writeTimeout(negative));
        configs.put("handlerTimeout must be zero", c -> c.handlerTimeout(negative));
        configs.put("grace of bodyTimeout must", c -> c.bodyTimeout(negative, 1));
        configs.put("rate of bodyTimeout must", c -> c.bodyTimeout(Duration.ZERO, -1));
        configs.put("maxBodyBytes must be -1", c -> c.maxBodyBytes(-2));
        configs.put("rate of connectionBandwidth", c -> c.connectionBandwidth(0, -1));
        configs.put("timeout of parkedConn", c -> c.parkedConnections(1, negative));
        configs.put("blockedLoopThreshold must", c -> c.blockedLoopThreshold(negative));
        configs.put("blockedLoopTimeout must", c -> c.blockedLoopTimeout(negative));
        configs.put("handlerTimeout is null", c -> c.handlerTimeout(null));
        configs.put("monitor is null", c -> c.monitor(null));
        configs.put("errorPages is null", c -> c.errorPages(null));
        configs.put("executionMode is null", c -> c.executionMode(null));
        configs.put("trustedProxies is null", c -> c.trustedProxies(null));
        configs.put("address to listen on is null", c -> c.listen(null));
        configs.put("name is null", c -> c.name(null));
        configs.put("serverHeader is null", c -> c.serverHeader(null));
        configs.put("whenFull is null", c -> c.maxConnectionsPerLoop(1, null));
        configs.put("acceptRate is null", c -> c.acceptRate(null));
        configs.forEach(
                (says, config) -> {
                    String why = refusal(config, r -> r.get("/", OK));
                    assertTrue(why.contains(says), why);
                });
        Map<String, Consumer<Routes>> routes = new LinkedHashMap<>();
        routes.put("maxBodyBytes of GET /a must", r -> r.route("GET", "/a", OK).maxBodyBytes(-2));
        routes.put(
                "handlerTimeout of GET /a must",
                r -> r.route("GET", "/a", OK).handlerTimeout(negative));
        routes.put(
                "idleTimeout of GET /a must", r -> r.route("GET", "/a", OK).idleTimeout(negative));
        routes.put(
                "bodyTimeout of GET /a must",
                r -> r.route("GET", "/a", OK).bodyTimeout(negative, 1));
        routes.put(
                "execution mode of GET /a is null",
                r -> r.route("GET", "/a", OK).executionMode(null));
        routes.put("handler of GET /a is null", r -> r.get("/a", null));
        routes.put("path of a route for GET is null", r -> r.get(null, OK));
        routes.put("filter of the server is null", r -> r.filter(null));
        routes.put("filter of \"/g\" is null", r -> r.group("/g", g -> g.filterAll(null)));
        routes.put("prefix of a group is null", r -> r.group(null, g -> {}));
        routes.put("routes of the group \"/g\" is null", r -> r.group("/g", null));
        routes.put("host of routes is null", r -> r.host(null, g -> {}));
        routes.put("mount at \"/m\" is null", r -> r.mount("/m", null));
        routes.forEach(
                (says, add) -> {
                    String why = refusal(add);
                    assertTrue(why.contains(says), why);
                });
        assertEquals(
                "The text of a response is null.",
                assertThrows(NullPointerException.class, () -> Response.text(null)).getMessage());
    }

    @Test
    void limitsOfClientsAndSockets() {
        Map<String, Executable> calls = new LinkedHashMap<>();
        calls.put(
                "connectTimeout must be 1 ms or more, not null",
                () -> HttpClient.create(s -> s.connectTimeout(null)));
        calls.put("interval of ping is null", () -> WebSockets.of(s -> s.ping(null, null)));
        calls.put("closeTimeout is null", () -> WebSockets.of(s -> s.closeTimeout(null)));
        calls.put(
                "subprotocols is null", () -> WebSockets.of(s -> s.subprotocols((String[]) null)));
        calls.put("origins is null", () -> WebSockets.of(s -> s.origins((String[]) null)));
        calls.put(
                "memory of contextTakeover must",
                () -> WebSockets.of(s -> s.contextTakeover(true, true, -1)));
        calls.forEach(
                (says, call) -> {
                    String why = assertThrows(IllegalArgumentException.class, call).getMessage();
                    assertTrue(why.contains(says), why);
                });
    }

    @Test
    void timeoutsOfAnyLength() throws Exception {
        Duration ever = Duration.ofSeconds(Long.MAX_VALUE);
        HttpClient.create(s -> s.totalTimeout(ever).connectTimeout(ever).keepAliveTimeout(ever))
                .close();
        ClientRequest.get("http://a/").timeout(ever);
        WebSocketClient.start(s -> s.connectTimeout(ever).writeTimeout(ever)).close();
        var held = new CountDownLatch(1);
        try (var serving =
                        new Serving(
                                TransportKind.AUTO,
                                c ->
                                        c.idleTimeout(ever)
                                                .headerTimeout(ever)
                                                .writeTimeout(ever)
                                                .bodyTimeout(ever, 1)
                                                .blockedLoopTimeout(ever)
                                                .handlerTimeout(Duration.ofNanos(1)),
                                routes -> {
                                    Handler waits =
                                            r -> {
                                                held.await();
                                                return Response.text("late");
                                            };
                                    routes.get("/short", waits);
                                    routes.route("GET", "/long", OK).handlerTimeout(ever);
                                });
                Client client = serving.client()) {
            client.send("GET /long HTTP/1.1\nHost: a\n\n").until("\r\n\r\nok");
            String all = client.send("GET /short HTTP/1.1\nHost: a\n\n").untilEnd();
            assertTrue(all.contains("HTTP/1.1 503 "), "not none: " + all);
        }
    }
}

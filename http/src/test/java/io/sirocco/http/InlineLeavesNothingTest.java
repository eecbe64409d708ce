// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What code of a program leaves on the thread of the loop does not reach other requests. */
class InlineLeavesNothingTest {
    private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();
    private static final ClassLoader USUAL = Thread.currentThread().getContextClassLoader();

    private static void leaveAll() {
        USER.set("alice");
        Thread.currentThread().setContextClassLoader(new URLClassLoader("left", new URL[0], USUAL));
        Thread.currentThread().interrupt();
    }

    private static Response seen(Request request) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return Response.text(
                Thread.currentThread().isInterrupted()
                        + " "
                        + (loader == USUAL ? "usual" : loader));
    }

    private static Response inherited(Request request) {
        return Response.text(seenText(seen(request)) + " " + USER.get());
    }

    private static String seenText(Response response) {
        var out = new java.io.ByteArrayOutputStream();
        try {
            response.writeBody(out);
        } catch (java.io.IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
        return out.toString(ISO_8859_1);
    }

    private static void routes(Routes routes) {
        routes.route(
                        "GET",
                        "/leave",
                        r -> {
                            leaveAll();
                            return Response.empty(204);
                        })
                .executionMode(ExecutionMode.INLINE);
        routes.route(
                        "GET",
                        "/throw",
                        r -> {
                            leaveAll();
                            throw new BadRequest("no");
                        })
                .executionMode(ExecutionMode.INLINE);
        routes.route(
                        "GET",
                        "/stage",
                        r ->
                                Response.asyncHandler(
                                        CompletableFuture.completedFuture(
                                                q -> {
                                                    leaveAll();
                                                    return Response.empty(204);
                                                })))
                .executionMode(ExecutionMode.INLINE);
        routes.route("GET", "/inline", InlineLeavesNothingTest::seen)
                .executionMode(ExecutionMode.INLINE);
        for (ExecutionMode mode :
                new ExecutionMode[] {
                    ExecutionMode.VIRTUAL, ExecutionMode.LOOP, ExecutionMode.POOL
                }) {
            routes.route("GET", "/" + mode, InlineLeavesNothingTest::inherited).executionMode(mode);
        }
        routes.route("GET", "/stream", r -> Response.stream(out -> inherited(r).writeBody(out)))
                .executionMode(ExecutionMode.INLINE);
    }

    @Test
    void theNextRequestsSeeNothingOfIt() {
        for (Mode mode : new Mode[] {Mode.VIRTUAL, Mode.UNCARRIED}) {
            try (var serving =
                    new Serving(
                            TransportKind.AUTO, mode, c -> {}, InlineLeavesNothingTest::routes)) {
                for (String first : new String[] {"/leave", "/throw", "/stage"}) {
                    try (Client client = serving.client()) {
                        String pipelined =
                                "GET %s HTTP/1.1\nHost: a\n\n".formatted(first).repeat(2);
                        for (String next :
                                new String[] {
                                    "/inline", "/VIRTUAL", "/LOOP", "/POOL", "/stream", "/inline"
                                }) {
                            pipelined += "GET %s HTTP/1.1\nHost: a\n\n".formatted(next);
                        }
                        client.send(
                                pipelined + "GET /none HTTP/1.1\nHost: a\nConnection: close\n\n");
                        String all = client.untilEnd();
                        String what = serving + " behind " + first + ":\n" + all;
                        assertEquals(2, count(all, "\r\n\r\nfalse usualHTTP"), what);
                        assertEquals(4, count(all, "false usual null"), what);
                    }
                }
            }
        }
    }

    private static int count(String all, String what) {
        return all.split(java.util.regex.Pattern.quote(what), -1).length - 1;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import org.junit.jupiter.api.Test;

/** Filters that see requests which no route matches, and filters that do not. */
class UnmatchedFiltersTest extends OnTheWire {
    private static Filter mark(String mark) {
        return (request, next) -> next.handle(request).map(answer -> answer.header("X", mark));
    }

    @Override
    void routes(Routes routes) {
        routes.filterAll(mark("all")).filter(mark("matched"));
        routes.get("/a", request -> Response.text("a"));
        routes.group(
                "/in/{group}",
                group -> group.filterAll(mark("group")).post("/b", request -> Response.text("b")));
        routes.group(
                "/closed",
                group ->
                        group.filterAll((request, next) -> Response.empty(401))
                                .get("/c", request -> Response.text("c")));
        routes.host(
                "other.example",
                host -> host.filterAll(mark("host")).get("/d", request -> Response.text("d")));
    }

    private Answer ask(String method, String path) {
        return wire(method + " " + path + " HTTP/1.1\nHost: a\n\n");
    }

    @Test
    void aMatchedRequestPassesEachOnce() {
        ask("GET", "/a").answers(200, "a").header("X", "matched", "all").goesOn();
    }

    @Test
    void aPathThatNobodyHas() {
        ask("GET", "/none").answers(404, "Not Found").header("X", "all").goesOn();
        ask("GET", "/").answers(404, "Not Found").header("X", "all").goesOn();
        ask("GET", "/inner").answers(404, "Not Found").header("X", "all").goesOn();
    }

    @Test
    void aMethodThatThePathDoesNotHave() {
        ask("POST", "/a").answers(405, "Method Not Allowed").header("X", "all").goesOn();
        ask("OPTIONS", "/a").answers(204).header("X", "all").goesOn();
    }

    @Test
    void thoseOfAGroupAreForItsPaths() {
        ask("GET", "/in/x").answers(404, "Not Found").header("X", "group", "all");
        ask("GET", "/in/x/none").answers(404, "Not Found").header("X", "group", "all");
        ask("GET", "/in/x/b").answers(405, "Method Not Allowed").header("X", "group", "all");
        ask("GET", "/closed/none").answers(401, "").header("X", "all").goesOn();
    }

    @Test
    void thoseOfAHostAreForItsPaths() {
        wire("GET /none HTTP/1.1\nHost: other.example\n\n")
                .answers(404, "Not Found")
                .header("X", "host", "all");
    }

    @Test
    void withABodyThatNobodyReads() {
        wireWhole("POST /none HTTP/1.1\nHost: a\nContent-Length: 2\n\nhi")
                .answers(404, "Not Found")
                .header("X", "all")
                .goesOn();
    }

    @Test
    void whatIsNoPathIsNotTheirs() {
        ask("OPTIONS", "*")
                .answers(204)
                .header("X")
                .header("Allow", "GET, POST, HEAD, OPTIONS")
                .goesOn();
    }
}

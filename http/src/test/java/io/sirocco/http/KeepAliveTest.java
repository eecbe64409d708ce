// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a connection lives on (RFC 9112 9.3), and how the answer says so. */
class KeepAliveTest extends OnTheWire {
    @Override
    void routes(Routes routes) {
        routes.get("/", request -> Response.text("hello"));
        routes.get("/bye", request -> Response.text("bye").closeConnection());
        routes.get("/bye/header", request -> Response.text("bye").header("Connection", "Close"));
    }

    @Test
    void http11LivesOn() {
        wire("""
            GET / HTTP/1.1
            Host: a

            """)
                .answers(
                        """
            HTTP/1.1 200 OK
            Content-Type: text/plain; charset=utf-8
            Content-Length: 5
            Date: *
            Server: Sirocco

            hello""")
                .goesOn()
                .logs();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: close",
                "connection: CLOSE",
                "CONNECTION: Close",
                "Connection: x, close",
                "Connection: close ,x",
                "Connection: ,,close",
                "Connection: x\nConnection: close",
                "Connection: keep-alive, close",
                "Connection: close\nConnection: keep-alive"
            })
    void closeInAnyDressCloses(String field) {
        wire("GET / HTTP/1.1\nHost: a\n" + field + "\n\n")
                .answers(200, "hello")
                .header("Connection", "close")
                .closes();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: keep-alive",
                "Connection: closed",
                "Connection: x-close",
                "X-Connection: close",
                "Proxy-Connection: close"
            })
    void whatIsNotCloseLeavesHttp11Open(String field) {
        wire("GET / HTTP/1.1\nHost: a\n" + field + "\n\n")
                .answers(200, "hello")
                .header("Connection")
                .goesOn();
    }

    @ParameterizedTest
    @ValueSource(strings = {"X: y", "Connection: close", "Connection: keep-alive, close"})
    void http10Closes(String field) {
        wire("GET / HTTP/1.0\n" + field + "\n\n")
                .answers(200, "hello")
                .header("Connection", "close")
                .closes();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: keep-alive",
                "connection: Keep-Alive",
                "Connection: x,KEEP-ALIVE",
                "Connection: x\nConnection: keep-alive"
            })
    void http10LivesOnWhenAskedAndIsTold(String field) {
        wire("GET / HTTP/1.0\n" + field + "\n\n")
                .answers(200, "hello")
                .header("Connection", "keep-alive")
                .goesOn();
    }

    @Test
    void theHandlerMayClose() {
        wire("GET /bye HTTP/1.1\nHost: a\n\n")
                .answers(200, "bye")
                .header("Connection", "close")
                .closes();
        wire("GET /bye/header HTTP/1.1\nHost: a\n\n")
                .answers(200, "bye")
                .header("Connection", "close")
                .closes();
        wire("GET /bye HTTP/1.0\nConnection: keep-alive\n\n")
                .answers(200, "bye")
                .header("Connection", "close")
                .closes();
    }

    @Test
    void nothingBehindCloseIsAnswered() {
        wire("""
            GET / HTTP/1.1
            Host: a
            Connection: close

            GET / HTTP/1.1
            Host: a

            """)
                .answers(200, "hello")
                .closes();
    }

    @Test
    void aLaterMinorVersionIsHttp11() {
        wire("GET / HTTP/1.9\nHost: a\n\n").answers(200, "hello").goesOn();
    }
}

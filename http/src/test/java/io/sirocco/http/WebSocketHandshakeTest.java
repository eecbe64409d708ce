// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Who gets a WebSocket, and what the others are told. */
class WebSocketHandshakeTest extends OnTheWire {
    private static final WebSockets FOREIGN =
            WebSockets.of(s -> s.origins("https://app.example.org", "https://*.my_host.example"));
    private static final WebSockets SQUEEZED = WebSockets.of(s -> s.compression(10));

    /** Of this instance: a group logs an origin once, and the class runs again over TLS. */
    private final WebSockets logged = WebSockets.of(s -> {});

    private static final WebSockets ANY = WebSockets.of(s -> s.anyOrigin());

    @Override
    void routes(Routes routes) {
        WebSocketListener listener =
                new WebSocketListener() {
                    @Override
                    public void onOpen(WebSocket socket) {
                        socket.close();
                    }
                };
        routes.any("/ws", request -> Response.webSocket(listener));
        routes.get("/foreign", request -> Response.webSocket(FOREIGN, listener));
        routes.get("/squeezed", request -> Response.webSocket(SQUEEZED, listener));
        routes.get("/logged", request -> Response.webSocket(logged, listener));
        routes.get("/any", request -> Response.webSocket(ANY, listener));
    }

    @Test
    void anOriginThatIsRefusedIsInTheLogOnce() {
        var lines = new LinkedBlockingQueue<String>();
        BiConsumer<String, Throwable> reader =
                (line, _) -> {
                    if (line.contains("logged.example")) {
                        lines.add(line);
                    }
                };
        QuietLogs.READERS.add(reader);
        try {
            for (int i = 0; i < 3; i++) {
                origin("https://logged.example").answers(403);
            }
            origin("https://also-logged.example").answers(403);
        } finally {
            QuietLogs.READERS.remove(reader);
        }
        assertEquals(2, lines.size(), lines.toString());
        assertTrue(
                lines.remove()
                        .startsWith(
                                "WebSockets of pages of https://logged.example to the host a are"
                                        + " refused with 403"));
    }

    private Answer origin(String origin) {
        return wireWhole(WebSocketPeer.request("/logged", "Origin: " + origin));
    }

    private Answer asked(String path, String... fields) {
        return wire(WebSocketPeer.request(path, fields));
    }

    /** The 101 and our close frame; what follows is no frame of a client. */
    private static final String OPENED =
            """
            HTTP/1.1 101 Switching Protocols
            Upgrade: websocket
            Connection: Upgrade
            Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=
            Date: *
            Server: Sirocco

            \u0088\u0002\u0003\u00e8""";

    @Test
    void aGoodRequestIsAnswered() {
        asked("/ws").answers(OPENED).closes();
    }

    @Test
    void tokensStandInListsAndInAnyCase() {
        wire("""
                        GET /ws HTTP/1.1
                        Host: a
                        upgrade: h2c, WebSocket
                        connection: keep-alive, UPGRADE
                        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
                        Sec-WebSocket-Version: 13

                        """)
                .answers(OPENED)
                .closes();
    }

    @Test
    void aPlainRequestIsToldToUpgrade() {
        wire("GET /ws HTTP/1.1\nHost: a\n\n")
                .answers(
                        """
                        HTTP/1.1 426 Upgrade Required
                        Content-Type: text/plain; charset=utf-8
                        Upgrade: websocket
                        Connection: Upgrade
                        Content-Length: 16
                        Date: *
                        Server: Sirocco

                        Upgrade Required""")
                .logs(RequestError.UPGRADE_MISSING)
                .goesOn();
    }

    @Test
    void anotherVersionIsToldOurs() {
        wire(WebSocketPeer.request("/ws").replace("Version: 13", "Version: 8"))
                .answers(426, "Upgrade Required")
                .header("Sec-WebSocket-Version", "13")
                .logs(RequestError.UNKNOWN_WEBSOCKET_VERSION)
                .goesOn();
    }

    @Test
    void aKeyThatIsNoneIsRefused() {
        wire(WebSocketPeer.request("/ws").replace("dGhl", "dGh"))
                .answers(400, "Bad Request")
                .logs(RequestError.BAD_WEBSOCKET_KEY)
                .goesOn();
        wire(WebSocketPeer.request("/ws", WebSocketPeer.KEY.strip()))
                .answers(400, "Bad Request")
                .logs(RequestError.BAD_WEBSOCKET_KEY);
    }

    @Test
    void anotherMethodIsRefused() {
        wire(WebSocketPeer.request("/ws").replace("GET", "PUT"))
                .answers(400, "Bad Request")
                .logs(RequestError.BAD_UPGRADE)
                .goesOn();
    }

    @Test
    void aBodyIsRefused() {
        wire(WebSocketPeer.request("/ws", "Content-Length: 3") + "abc")
                .answers(400, "Bad Request")
                .logs(RequestError.BAD_UPGRADE)
                .goesOn();
    }

    @Test
    void anOfferOfNothingIsPassedOver() {
        for (String offer : new String[] {"", ";", ",", ";;,;", "=", ";=;"}) {
            wireWhole(WebSocketPeer.request("/squeezed", "Sec-WebSocket-Extensions: " + offer))
                    .answers(OPENED)
                    .closes();
        }
        String agreed =
                "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover;"
                        + " client_no_context_takeover\nDate:";
        asked("/squeezed", "Sec-WebSocket-Extensions: ;, permessage-deflate")
                .answers(OPENED.replace("Date:", agreed))
                .closes();
    }

    @Test
    void pagesOfOurHostAreAdmitted() {
        asked("/ws", "Origin: http://a").answers(OPENED);
        asked("/ws", "Origin: https://A:443").answers(OPENED);
    }

    @Test
    void pagesOfOthersAreNot() {
        for (String origin :
                new String[] {"http://b", "http://a:81", "null", "http://a.b", "://"}) {
            asked("/ws", "Origin: " + origin)
                    .answers(403, "Forbidden")
                    .logs(RequestError.FOREIGN_ORIGIN)
                    .goesOn();
        }
    }

    @Test
    void pagesMayBeNamed() {
        asked("/foreign", "Origin: https://app.example.org").answers(OPENED);
        asked("/foreign", "Origin: http://app.example.org").answers(403, "Forbidden");
        asked("/foreign", "Origin: https://a.my_host.example").answers(OPENED);
        asked("/foreign", "Origin: https://my_host.example").answers(403, "Forbidden");
        asked("/any", "Origin: https://elsewhere.example").answers(OPENED);
    }
}

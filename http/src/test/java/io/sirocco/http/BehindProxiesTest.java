// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.TrustedProxies.Field;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Optional;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Requests that come from a proxy, and from clients that play one: the proxy has the address
 * 127.0.0.2, everybody else another.
 */
@Timeout(60)
class BehindProxiesTest {
    private static final String PROXY = "127.0.0.2";
    private static final String STRANGER = "127.0.0.1";

    private static boolean trusted(SocketAddress peer) {
        return ((InetSocketAddress) peer).getAddress().getHostAddress().equals(PROXY);
    }

    private static Response told(Request request) {
        return Response.text(
                "%s %s %s %s"
                        .formatted(
                                host(request.remoteAddress()),
                                host(request.peerAddress()),
                                request.scheme(),
                                request.authority()));
    }

    private static String host(SocketAddress address) {
        return ((InetSocketAddress) address).getAddress().getHostAddress();
    }

    private static Serving serving(
            TransportKind transport, boolean proxyProtocol, Field... fields) {
        var address = new InetSocketAddress("127.0.0.1", 0);
        return new Serving(
                transport,
                config -> {
                    config.trustedProxies(TrustedProxies.of(BehindProxiesTest::trusted, fields));
                    if (proxyProtocol) {
                        config.addresses.clear();
                        config.listen(address, Optional.empty(), true);
                    }
                },
                routes ->
                        routes.get("/", BehindProxiesTest::told)
                                .get("/who", BehindProxiesTest::told)
                                .host("a.test", site -> site.get("/", r -> Response.text("site a")))
                                .get(
                                        "/socket",
                                        request ->
                                                Response.webSocket(
                                                        socket ->
                                                                socket.send(
                                                                        host(
                                                                                socket
                                                                                        .remoteAddress())))));
    }

    private static String ask(Serving serving, String from, String before, String fields)
            throws IOException {
        return ask(serving, from, before, "/who", fields);
    }

    private static String ask(
            Serving serving, String from, String before, String path, String fields)
            throws IOException {
        try (var socket = new Socket()) {
            socket.bind(new InetSocketAddress(from, 0));
            socket.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), serving.server.port()));
            String lines = fields.isEmpty() ? "" : fields.replace("|", "\r\n") + "\r\n";
            socket.getOutputStream()
                    .write(
                            (before
                                            + "GET "
                                            + path
                                            + " HTTP/1.1\r\nHost: plain:81\r\nConnection: close\r\n"
                                            + lines
                                            + "\r\n")
                                    .getBytes(ISO_8859_1));
            String all = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
            if (all.isEmpty()) return "closed";
            int status = Integer.parseInt(all.substring(9, 12));
            return status == 200 ? all.substring(all.indexOf("\r\n\r\n") + 4) : "" + status;
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "127.0.0.2; X-Forwarded-For: 192.0.2.7; 192.0.2.7 127.0.0.2 http plain:81",
                "127.0.0.2; X-Forwarded-For: 192.0.2.7|X-Forwarded-Proto: https|X-Forwarded-Host: b.test; 192.0.2.7 127.0.0.2 https b.test",
                "127.0.0.2; X-Forwarded-For: 127.0.0.1, 192.0.2.7; 192.0.2.7 127.0.0.2 http plain:81",
                "127.0.0.2; X-Forwarded-For: 192.0.2.7, 127.0.0.2; 192.0.2.7 127.0.0.2 http plain:81",
                "127.0.0.2; Forwarded: for=192.0.2.7; 127.0.0.2 127.0.0.2 http plain:81",
                "127.0.0.2; X-Forwarded-For: nonsense; 400",
                "127.0.0.2; X-Other: 1; 127.0.0.2 127.0.0.2 http plain:81",
                // a client plays a proxy
                "127.0.0.1; X-Forwarded-For: 192.0.2.7; 127.0.0.1 127.0.0.1 http plain:81",
                "127.0.0.1; X-Forwarded-For: 127.0.0.2; 127.0.0.1 127.0.0.1 http plain:81",
                "127.0.0.1; X-Forwarded-For: nonsense; 127.0.0.1 127.0.0.1 http plain:81",
                "127.0.0.1; X-Forwarded-Proto: https|X-Forwarded-Host: a.test; 127.0.0.1 127.0.0.1 http plain:81",
            })
    void onlyATrustedProxyIsBelieved(String from, String fields, String told) throws Exception {
        for (TransportKind transport :
                new TransportKind[] {TransportKind.AUTO, TransportKind.NIO}) {
            try (Serving serving =
                    serving(
                            transport,
                            false,
                            Field.X_FORWARDED_FOR,
                            Field.X_FORWARDED_PROTO,
                            Field.X_FORWARDED_HOST)) {
                assertEquals(told, ask(serving, from, "", fields), transport.toString());
                if (told.equals("400")) {
                    assertEquals(java.util.List.of(RequestError.BAD_FORWARDED), serving.rules());
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"AUTO", "NIO"})
    void theSiteIsThatOfTheHostThatWasAskedFor(TransportKind transport) throws Exception {
        try (Serving serving = serving(transport, false, Field.FORWARDED)) {
            String field = "Forwarded: for=192.0.2.7;host=a.test";
            assertEquals("site a", ask(serving, PROXY, "", "/", field));
            String other = ask(serving, STRANGER, "", "/", field);
            assertEquals("127.0.0.1 127.0.0.1 http plain:81", other);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"AUTO", "NIO"})
    void withoutProxiesNobodyIsBelieved(TransportKind transport) throws Exception {
        try (Serving serving =
                new Serving(
                        transport,
                        config -> {},
                        routes -> routes.get("/who", BehindProxiesTest::told))) {
            String fields = "X-Forwarded-For: 192.0.2.7|Forwarded: for=192.0.2.7;proto=https";
            assertEquals("127.0.0.2 127.0.0.2 http plain:81", ask(serving, PROXY, "", fields));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"AUTO", "NIO"})
    void theProxyProtocolNamesTheClientOfAConnection(TransportKind transport) throws Exception {
        String header = "PROXY TCP4 192.0.2.7 192.0.2.1 51234 443\r\n";
        try (Serving serving = serving(transport, true, Field.X_FORWARDED_FOR)) {
            String told = "192.0.2.7 127.0.0.2 http plain:81";
            assertEquals(told, ask(serving, PROXY, header, ""));
            // the client of the proxy is not trusted, and so its own fields are not
            assertEquals(told, ask(serving, PROXY, header, "X-Forwarded-For: 127.0.0.1"));
            // one that is trusted may speak for another one
            String chained = header.replace("192.0.2.7", PROXY);
            assertEquals(
                    "192.0.2.8 127.0.0.2 http plain:81",
                    ask(serving, PROXY, chained, "X-Forwarded-For: 192.0.2.8"));
            assertEquals("closed", closed(serving, STRANGER, header));
            assertEquals("closed", closed(serving, PROXY, ""));
        }
    }

    private static String closed(Serving serving, String from, String header) {
        try {
            return ask(serving, from, header, "");
        } catch (IOException reset) {
            return "closed";
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"AUTO", "NIO"})
    void monitorsAreToldOfTheClient(TransportKind transport) throws Exception {
        try (Serving serving = serving(transport, false, Field.X_FORWARDED_FOR)) {
            ask(serving, PROXY, "", "X-Forwarded-For: 192.0.2.7");
            var answers = new ArrayList<Serving.Told>();
            serving.await("what is told", () -> answers.addAll(serving.answers()));
            assertEquals("192.0.2.7", host(answers.getFirst().remote()));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"AUTO", "NIO"})
    void aWebSocketIsTheClients(TransportKind transport) throws Exception {
        try (Serving serving = serving(transport, false, Field.X_FORWARDED_FOR);
                var socket = new Socket()) {
            socket.bind(new InetSocketAddress(PROXY, 0));
            socket.connect(new InetSocketAddress("127.0.0.1", serving.server.port()));
            socket.getOutputStream()
                    .write(
                            ("GET /socket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n"
                                            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                            + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                                            + "X-Forwarded-For: 192.0.2.7\r\n\r\n")
                                    .getBytes(ISO_8859_1));
            var all = new StringBuilder();
            for (int b;
                    all.indexOf("192.0.2.7") < 0 && (b = socket.getInputStream().read()) >= 0; ) {
                all.append((char) b);
            }
            assertTrue(all.indexOf("192.0.2.7") > 0, all.toString());
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.staticcontent.FileSystemHandlerConfig;
import io.helidon.webserver.staticcontent.StaticContentFeature;
import java.nio.file.Path;

/** Helidon SE as a peer in the race: a port, a folder. Each connection is a virtual thread. */
final class HelidonPeer {
    private static final Header TEXT =
            HeaderValues.createCached(HeaderNames.CONTENT_TYPE, "text/plain");

    private HelidonPeer() {}

    public static void main(String[] arguments) {
        var files = FileSystemHandlerConfig.create(Path.of(arguments[1]));
        WebServer.builder()
                .host("127.0.0.1")
                .port(Integer.parseInt(arguments[0]))
                .backlog(4096)
                .connectionOptions(socket -> socket.tcpNoDelay(true))
                .addProtocol(Http1Config.builder().receiveLog(false).sendLog(false).build())
                .routing(
                        routes ->
                                routes.get("/plaintext", text("Hello, World!"))
                                        .get("/virtual", text("Hello, World!"))
                                        .get("/echo", text("Hello from the echo"))
                                        .register(
                                                "/files",
                                                StaticContentFeature.createService(files)))
                .build()
                .start();
    }

    private static Handler text(String text) {
        byte[] body = text.getBytes(US_ASCII);
        Header length = HeaderValues.createCached(HeaderNames.CONTENT_LENGTH, body.length);
        return (_, response) -> response.header(TEXT).header(length).send(body);
    }
}

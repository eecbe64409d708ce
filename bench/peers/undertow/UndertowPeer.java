// SPDX-License-Identifier: Apache-2.0
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.HttpHandler;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.server.handlers.resource.PathResourceManager;
import io.undertow.util.Headers;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.xnio.Options;

/** Undertow as a peer in the race: a port, a folder. */
final class UndertowPeer {
    private UndertowPeer() {}

    public static void main(String[] arguments) {
        var files = new PathResourceManager(Path.of(arguments[1]));
        HttpHandler paths =
                Handlers.path()
                        .addExactPath("/plaintext", text("Hello, World!"))
                        .addExactPath("/virtual", new BlockingHandler(text("Hello, World!")))
                        .addExactPath("/echo", text("Hello from the echo"))
                        .addExactPath("/three", text("abc"))
                        .addPrefixPath("/files", Handlers.resource(files));
        Undertow.builder()
                .addHttpListener(Integer.parseInt(arguments[0]), "127.0.0.1")
                .setIoThreads(1)
                .setWorkerThreads(64)
                .setSocketOption(Options.BACKLOG, 4096)
                .setServerOption(UndertowOptions.ALWAYS_SET_KEEP_ALIVE, false)
                .setHandler(sayingKeepAlive(paths))
                .build()
                .start();
    }

    /** A client of HTTP/1.0 must be told that its connection stays open; one of 1.1 knows. */
    private static HttpHandler sayingKeepAlive(HttpHandler next) {
        return exchange -> {
            if (exchange.isHttp10() && exchange.isPersistent()) {
                exchange.getResponseHeaders().put(Headers.CONNECTION, "keep-alive");
            }
            next.handleRequest(exchange);
        };
    }

    private static HttpHandler text(String text) {
        byte[] bytes = text.getBytes(US_ASCII);
        ByteBuffer body = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        return exchange -> {
            exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "text/plain");
            exchange.getResponseSender().send(body.duplicate());
        };
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.ErrorPages;
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.net.Admission;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A running server with rules, and clients of it that send what they are told, from any address of
 * 127.0.0.0/8. Rules run on the loop itself, where waiting is not allowed. Any thread.
 */
final class Serving implements AutoCloseable {
    static final Response HELLO = Response.text("hello");

    final Rejections rejections = new Rejections();
    Admission admission = Admission.ALL;
    ErrorPages pages = ErrorPages.PLAIN;
    private Server server;

    /** Serves the routes. */
    Serving start(Consumer<Routes> routes) {
        server =
                Server.start(
                        config ->
                                config.listen(new InetSocketAddress("127.0.0.1", 0))
                                        .loops(2)
                                        .executionMode(ExecutionMode.INLINE)
                                        .admission(admission)
                                        .errorPages(pages),
                        routes);
        return this;
    }

    /** Says hello behind filters at every path and to every method. */
    Serving start(Filter... filters) {
        return start(request -> HELLO, filters);
    }

    Serving start(Handler handler, Filter... filters) {
        return start(
                routes -> {
                    for (Filter filter : filters) {
                        routes.filter(filter);
                    }
                    routes.any("/*", handler);
                });
    }

    int port() {
        return server.port();
    }

    /** What is answered to {@code GET /}. */
    Reply get(String... fields) throws IOException {
        return ask("127.0.0.1", "GET", "/", fields);
    }

    /** What is answered to one request of a client at this address: fields are whole lines. */
    Reply ask(String from, String method, String target, String... fields) throws IOException {
        try (var client = new Client(from)) {
            return client.ask(method, target, fields);
        }
    }

    Client client(String from) throws IOException {
        return new Client(from);
    }

    Map<String, Long> counts() {
        return rejections.counts();
    }

    @Override
    public void close() {
        server.close();
    }

    /** One connection. */
    final class Client implements AutoCloseable {
        private final Socket socket = new Socket();
        private final InputStream in;

        Client(String from) throws IOException {
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral(from), 0));
            socket.connect(new InetSocketAddress("127.0.0.1", port()));
            socket.setSoTimeout(10_000);
            socket.setTcpNoDelay(true);
            in = new BufferedInputStream(socket.getInputStream());
        }

        Reply ask(String method, String target, String... fields) throws IOException {
            send(method, target, fields);
            return reply();
        }

        void send(String method, String target, String... fields) throws IOException {
            String lines = String.join("\r\n", fields);
            boolean hasHost = lines.startsWith("Host: ");
            send(
                    method
                            + " "
                            + target
                            + " HTTP/1.1\r\n"
                            + (hasHost ? "" : "Host: a\r\n")
                            + (lines.isEmpty() ? "" : lines + "\r\n")
                            + "\r\n");
        }

        void send(String bytes) throws IOException {
            socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
        }

        Reply reply() throws IOException {
            int status = Integer.parseInt(line(), 9, 12, 10);
            Headers headers = Headers.none();
            for (String line; !(line = line()).isEmpty(); ) {
                int colon = line.indexOf(':');
                headers = headers.with(line.substring(0, colon), line.substring(colon + 1));
            }
            int length = headers.first("Content-Length").map(Integer::parseInt).orElse(0);
            return new Reply(status, headers, new String(in.readNBytes(length), ISO_8859_1));
        }

        private String line() throws IOException {
            var line = new StringBuilder();
            for (int c; (c = in.read()) != '\n'; ) {
                if (c < 0) {
                    throw new EOFException("ended within the head: " + line);
                }
                line.append((char) c);
            }
            return line.toString().strip();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** A response. */
    record Reply(int status, Headers headers, String body) {
        /** The only value of a field; empty when there is none. */
        String field(String name) {
            return String.join(" | ", headers.all(name));
        }
    }
}

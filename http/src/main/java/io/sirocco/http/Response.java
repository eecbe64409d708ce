// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.body.Segments;
import io.sirocco.http.exchange.Content;
import io.sirocco.http.exchange.ResponseMessage;
import io.sirocco.net.Connection;
import io.sirocco.net.OpenFile;
import io.sirocco.net.Protocol;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A response: a status, headers and a body. Factories create it, and each method returns a changed
 * copy:
 *
 * <pre>{@code
 * Response created = Response.json("{\"id\": 7}").status(201).header("Location", "/items/7");
 * Response page = Response.html("<p>Hello").cookie(Cookie.of("seen", "1"));
 * Response moved = Response.redirect("/new").status(308);
 * Response numbers = Response.stream(out -> {
 *     for (int i = 0; i < 1_000_000; i++) out.write((i + "\n").getBytes());
 * }).contentType("text/plain");
 * }</pre>
 *
 * <p>A change to an {@linkplain #async asynchronous} response is applied when it completes.
 *
 * <p>The status is 200 unless set. The server sets {@code Date}, {@code Server}, {@code
 * Connection}, {@code Content-Length} and {@code Transfer-Encoding}; only the first two can be
 * overridden. A response that a handler keeps and returns again is encoded once, so create constant
 * responses once.
 *
 * <p>Immutable.
 */
public sealed interface Response permits ResponseMessage {
    /** Creates a response of plain text in UTF-8. */
    static Response text(String text) {
        return new ResponseMessage(ResponseMessage.TEXT, new Content.Bytes(utf8(text)));
    }

    /** Creates a response of HTML in UTF-8. */
    static Response html(String page) {
        return new ResponseMessage(ResponseMessage.HTML, new Content.Bytes(utf8(page)));
    }

    /**
     * Creates a response of JSON.
     *
     * @param document the encoded document
     */
    static Response json(String document) {
        return new ResponseMessage(ResponseMessage.JSON, new Content.Bytes(utf8(document)));
    }

    /**
     * Creates a response of bytes, with the type {@code application/octet-stream}. Do not change
     * the array afterwards.
     */
    static Response bytes(byte[] bytes) {
        return new ResponseMessage(ResponseMessage.OCTETS, new Content.Bytes(bytes));
    }

    /**
     * Creates a response without a body.
     *
     * @throws IllegalArgumentException if the status is not between 200 and 599
     */
    static Response empty(int status) {
        return ResponseMessage.EMPTY.status(status);
    }

    /**
     * Creates a response of a file, whose name determines the content type. The file is opened when
     * the response is sent, with the size that it has then. To serve a path that comes from a
     * client, validate it first.
     *
     * <p>The response has no {@code ETag} and no {@code Last-Modified}, and is all of the file
     * whatever {@code Range} asks for: it suits a file that is made for one request, such as a
     * report. For files that browsers cache, resume or seek in, use {@code FileServer} of the
     * module {@code io.sirocco.web}.
     *
     * @throws IOException if the size of the file cannot be read, or it is a directory
     */
    static Response file(Path path) throws IOException {
        var attributes = Files.readAttributes(path, BasicFileAttributes.class);
        if (attributes.isDirectory()) {
            throw new FileSystemException(path.toString(), null, "is a directory");
        }
        return new ResponseMessage(
                ResponseMessage.typed(MimeTypes.of(path.getFileName().toString())),
                new Content.File(path, attributes.size()));
    }

    /**
     * Creates a response of a region of an open file, without a content type. The kernel sends it
     * where possible, without a thread and without copying it into the heap.
     *
     * <p>The caller must have {@linkplain OpenFile#retain retained} the file. The response releases
     * it after the last byte, when the client disconnects, or at once for {@code HEAD}. A response
     * that is returned again retains the file for each further request; once the file is closed,
     * these requests get 500.
     *
     * @param from the offset of the first byte
     * @param length the number of bytes
     */
    static Response file(OpenFile file, long from, long length) {
        return segments(List.of(new BodySegment.Region(file, from, length)));
    }

    /**
     * Creates a response of several segments in a row, such as multiple ranges with their
     * separators, without a content type. Files are retained and released as by {@link
     * #file(OpenFile, long, long)}.
     */
    static Response segments(List<BodySegment> pieces) {
        return new ResponseMessage(Headers.none(), new Content.Pieces(new Segments(pieces)));
    }

    /**
     * Creates a response whose body is written while it is sent. A body that ends within the first
     * 8 KiB is sent with its length, a longer one in chunks; to an HTTP/1.0 client it ends with the
     * connection. If {@code writer} throws after the body has begun, the connection is reset.
     */
    static Response stream(BodyWriter writer) {
        return new ResponseMessage(ResponseMessage.OCTETS, new Content.Stream(writer, -1));
    }

    /**
     * Creates a response with a body of {@code length} bytes that is written while it is sent. If
     * {@code writer} writes more or less, the connection is reset.
     *
     * @throws IllegalArgumentException if the length is negative
     */
    static Response stream(long length, BodyWriter writer) {
        checkLength(length);
        return new ResponseMessage(ResponseMessage.OCTETS, new Content.Stream(writer, length));
    }

    /**
     * Creates a response whose body is produced without a thread, in chunks; to an HTTP/1.0 client
     * it ends with the connection. The headers are sent with the first segment. A source that fails
     * before it becomes a 500 response, and the handler timeout applies until then. There is no
     * timeout for later segments; the source must set its own if it needs one. If the client closes
     * its sending side, it gets the rest, but each segment must then come within the {@linkplain
     * Config#writeTimeout write timeout}, since the client may be gone.
     */
    static Response stream(BodySource source) {
        return new ResponseMessage(ResponseMessage.OCTETS, new Content.Source(source, -1, false));
    }

    /**
     * Creates a response with a body of {@code length} bytes that is produced without a thread. If
     * the source produces more or less, the connection is reset.
     *
     * @throws IllegalArgumentException if the length is negative
     */
    static Response stream(long length, BodySource source) {
        checkLength(length);
        return new ResponseMessage(
                ResponseMessage.OCTETS, new Content.Source(source, length, false));
    }

    /**
     * Creates a response that another server sent, for reverse proxies. Its headers are sent
     * unchanged, and at once, whenever the body follows; a body that fails resets the connection.
     *
     * @param headers without {@code Connection}, {@code Content-Length}, {@code Transfer-Encoding}
     *     and others that describe the connection to that server
     * @param length the length of the body, -1 if it is unknown; in response to {@code HEAD}, the
     *     length that {@code GET} would have
     * @throws IllegalArgumentException if the status is not between 200 and 599, or the server sets
     *     one of the headers
     */
    static Response forwarded(int status, Headers headers, long length, BodySource body) {
        return ResponseMessage.forwarded(status, headers, new Content.Source(body, length, true));
    }

    /** Does the same for a body that has arrived already. */
    static Response forwarded(int status, Headers headers, byte[] body) {
        return ResponseMessage.forwarded(status, headers, new Content.Bytes(body));
    }

    /**
     * Does the same for a body that is stored, of which files are retained and released as by
     * {@link #file(OpenFile, long, long)}.
     */
    static Response forwarded(int status, Headers headers, List<BodySegment> body) {
        return ResponseMessage.forwarded(status, headers, new Content.Pieces(new Segments(body)));
    }

    /**
     * Creates a response that another server is to send, for reverse proxies. It is an {@linkplain
     * #async asynchronous response} that is sent within the call that completes it, if that is on
     * the event loop of the request: the code that completes it must expect that the body is read
     * at once.
     */
    static Response forwarded(CompletionStage<Response> response) {
        return new ResponseMessage(Headers.none(), new Content.Async(response, true));
    }

    private static byte[] utf8(String text) {
        return Objects.requireNonNull(text, "The text of a response is null.").getBytes(UTF_8);
    }

    private static void checkLength(long length) {
        if (length < 0) {
            throw new IllegalArgumentException(
                    "The length of a body must be 0 or more, not " + length + ".");
        }
    }

    /**
     * Creates a stream of server-sent events (HTML Living Standard 9.2), which lasts as long as
     * {@code writer} runs.
     *
     * <pre>{@code
     * routes.get("/ticks", request -> Response.events(sink -> {
     *     while (true) {
     *         sink.send("tick");
     *         Thread.sleep(1000);
     *     }
     * }));
     * }</pre>
     *
     * <p>The headers are sent with the first event, or after 100 ms without one; if {@code writer}
     * throws before that, the client gets 500. A server that stops interrupts the writer at once,
     * so that clients reconnect to another server.
     */
    static Response events(SseWriter writer) {
        BodyWriter body =
                out -> {
                    try {
                        writer.write(new SseSink(out));
                    } catch (InterruptedException | InterruptedIOException e) {
                        Thread.interrupted(); // the server stops: the end is still to be sent
                    }
                };
        return new ResponseMessage(ResponseMessage.EVENTS, new Content.EventStream(body));
    }

    /**
     * Opens a WebSocket that a blocking handler serves on a virtual thread.
     *
     * <pre>{@code
     * routes.get("/echo", request -> Response.webSocket(socket -> {
     *     while (socket.receive() instanceof WebSocket.Text(String text)) socket.send(text);
     * }));
     * }</pre>
     *
     * <p>The request stays valid until the handler returns. A request that does not ask for an
     * upgrade gets 426; one from a page of another origin gets 403 (see {@link
     * WebSocketSettings#origins}).
     */
    static Response webSocket(WebSocketHandler handler) {
        return webSocket(WebSockets.DEFAULT, handler);
    }

    /** Opens a WebSocket that a blocking handler serves, with settings. */
    static Response webSocket(WebSockets sockets, WebSocketHandler handler) {
        return webSocket(
                new Content.Upgrade(sockets.group, Optional.of(handler), Optional.empty()));
    }

    /**
     * Opens a WebSocket that a listener serves with callbacks on its event loop. For very many
     * sockets that are mostly idle.
     */
    static Response webSocket(WebSocketListener listener) {
        return webSocket(WebSockets.DEFAULT, listener);
    }

    /** Opens a WebSocket that a listener serves, with settings. */
    static Response webSocket(WebSockets sockets, WebSocketListener listener) {
        return webSocket(
                new Content.Upgrade(sockets.group, Optional.empty(), Optional.of(listener)));
    }

    private static Response webSocket(Content.Upgrade upgrade) {
        return ResponseMessage.upgrade(upgrade);
    }

    /**
     * Upgrades the connection to another protocol: sends 101 (RFC 9110 7.8), and passes the
     * connection to the {@link Protocol} that {@code next} returns, which receives everything that
     * the client sends behind its request. The connection belongs to that protocol from then on;
     * its deadline is cleared.
     *
     * <p>The handler decides whether the request asks for this protocol. If it speaks HTTP/1.0 or
     * its body was not read to the end, the client gets 500. For WebSockets use {@link
     * #webSocket(WebSocketHandler)}.
     *
     * @param protocol the name of the protocol, for the header {@code Upgrade}
     * @param next called on the event loop, must not block; not called if the client disconnects
     *     before
     */
    static Response upgrade(String protocol, Function<Connection, Protocol> next) {
        Headers.of("Upgrade", protocol);
        return ResponseMessage.upgrade(new Content.Switch(protocol, next));
    }

    /**
     * Creates a redirect with 302 (Found); {@link #status} changes it to 301, 303, 307 or 308.
     *
     * @param location an absolute or relative URI reference (RFC 9110 10.2.2), such as {@code
     *     https://example.org/a}, {@code /a?b} or {@code ../c}. Characters that a URI cannot
     *     contain, such as spaces, accented letters and backslashes, are percent-encoded
     * @throws IllegalArgumentException if the location contains a control character
     */
    static Response redirect(String location) {
        return empty(302).header("Location", location);
    }

    /**
     * Creates an asynchronous response, which is sent when {@code response} completes, on any
     * thread. No thread waits for it. If it completes exceptionally, the client gets 500, or the
     * status of a {@link BadRequest}. If the handler timeout passes first, the client gets 504.
     *
     * <pre>{@code
     * var found = new CompletableFuture<Response>();
     * workers.execute(() -> found.complete(Response.text("found")));
     * request.onDisconnect(() -> found.cancel(false));
     * return Response.async(found);
     * }</pre>
     */
    static Response async(CompletionStage<Response> response) {
        return new ResponseMessage(Headers.none(), new Content.Async(response, false));
    }

    /**
     * Calls another handler with the same request when {@code next} completes, where the handlers
     * of the route run. No thread waits for it; if the handler timeout passes first, the client
     * gets 504. A filter can use it to look something up before it continues:
     *
     * <pre>{@code
     * return Response.asyncHandler(lookUp(name).thenApply(known -> known ? next : STRANGER));
     * }</pre>
     *
     * <p>The code that completes {@code next} must not use the request.
     */
    static Response asyncHandler(CompletionStage<? extends Handler> next) {
        return new ResponseMessage(Headers.none(), new Content.AsyncHandler(next));
    }

    /**
     * Returns the result of {@code change} for this response. The change of an {@linkplain #async
     * asynchronous} response is applied when it completes. For filters.
     */
    Response map(UnaryOperator<Response> change);

    /**
     * Returns the result of {@code change} as {@link #map} does, and caches it with this response
     * while the same {@code change} is used. A response that is returned again is then changed and
     * encoded once. The change must depend on nothing but the response.
     */
    Response mapOnce(UnaryOperator<Response> change);

    /**
     * Returns a response whose body passes through a filter while it is sent: {@code
     * response.transformBody(out -> new GZIPOutputStream(out, true))}. The length of the new body
     * is unknown. Set the headers that describe it, such as {@code Content-Encoding}, separately. A
     * WebSocket response is returned unchanged.
     */
    Response transformBody(BodyFilter filter);

    /**
     * Returns a response with another status.
     *
     * @throws IllegalArgumentException if the status is not between 200 and 599, or if this is a
     *     WebSocket response
     */
    Response status(int status);

    /**
     * Returns a response with an additional header. Headers of the same name are all sent. {@code
     * Location} is percent-encoded as by {@link #redirect}. {@code Connection: close} is the same
     * as {@link #closeConnection}.
     *
     * @throws IllegalArgumentException if the server sets this header, or if the name or value is
     *     invalid
     */
    Response header(String name, String value);

    /**
     * Returns a response with a header that replaces all headers of the same name.
     *
     * @throws IllegalArgumentException if the server sets this header, or if the name or value is
     *     invalid
     */
    Response setHeader(String name, String value);

    /**
     * Returns a response with {@code fields} instead of all its headers.
     *
     * @throws IllegalArgumentException if the server sets one of these headers
     */
    Response headers(Headers fields);

    /** Returns a response with another {@code Content-Type}. */
    default Response contentType(String type) {
        return setHeader("Content-Type", type);
    }

    /** Returns a response with an additional cookie. */
    default Response cookie(Cookie cookie) {
        return header("Set-Cookie", cookie.encode());
    }

    /**
     * Returns a response with trailers (RFC 9110 6.5): headers that are known only when the body is
     * complete, such as a checksum. Then {@code trailers} is called on the event loop; it must not
     * block. The body is sent in chunks. HTTP/1.0 clients do not get the trailers, and other
     * clients may drop them.
     *
     * <p>If {@code trailers} throws, or returns a header that must not be a trailer, such as {@code
     * Content-Type}, the connection is reset.
     */
    Response trailers(Supplier<Headers> trailers);

    /** Returns a response after which the connection is closed. */
    Response closeConnection();

    /**
     * Returns the status code. That of an {@linkplain #async asynchronous} response is not known
     * before {@link #map} calls its function; until then this returns 200.
     */
    int status();

    /**
     * Returns the headers, without those that the server adds. Those of an {@linkplain #async
     * asynchronous} response are not known before {@link #map} calls its function.
     */
    Headers headers();

    /** Returns the length of the body in bytes, if it is known in advance. */
    OptionalLong length();

    /**
     * Writes the body to {@code out} instead of to a client, for filters that read it. This may use
     * it up: send another response then, such as {@link #bytes} with what was read. Blocks while
     * the body is produced, so call it on a virtual thread of the {@linkplain Request#loop loop}.
     *
     * @throws IllegalStateException if this is an {@linkplain #async asynchronous} response, one of
     *     {@linkplain #events events}, or an upgrade
     * @throws IOException if the body fails, or {@code out} does
     */
    void writeBody(OutputStream out) throws IOException, InterruptedException;
}

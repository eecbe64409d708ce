// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.body.FilteredWriter;
import io.sirocco.http.body.PieceWriter;
import io.sirocco.http.body.Segments;
import io.sirocco.http.body.SourceWriter;
import io.sirocco.http.message.Location;
import io.sirocco.net.OpenFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
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
 * <p>The status is 200 unless set. The server sets {@code Date}, {@code Server}, {@code
 * Connection}, {@code Content-Length} and {@code Transfer-Encoding}; only the first two can be
 * overridden. A response that a handler keeps and returns again is encoded once, so create constant
 * responses once.
 *
 * <p>Immutable.
 */
public final class Response {
    private static final Set<String> OURS = ours();

    private static final Headers TEXT = typed("text/plain; charset=utf-8");
    private static final Headers HTML = typed("text/html; charset=utf-8");
    private static final Headers JSON = typed("application/json");
    private static final Headers OCTETS = typed("application/octet-stream");
    private static final Headers EVENTS =
            typed("text/event-stream").with("Cache-Control", "no-store");

    private final int status;
    private final Headers headers;
    private final Content content;
    private final boolean closeConnection;
    private final boolean own; // has a Date or a Server of its own
    private final Supplier<Headers> trailers; // null for none

    // Caches, which loops may race for: each would write the same.
    private boolean used;
    private boolean sent;
    private Object encoded;
    private Changed changed;

    /** The last result of {@link #mapOnce}. */
    private record Changed(UnaryOperator<Response> by, Response to) {}

    private Response(int status, Headers headers, Content content, boolean close, boolean own) {
        this(status, headers, content, close, own, null);
    }

    private Response(
            int status,
            Headers headers,
            Content content,
            boolean close,
            boolean own,
            Supplier<Headers> trailers) {
        this.trailers = trailers;
        this.status = status;
        this.headers = headers;
        this.content = content;
        this.closeConnection = close;
        this.own = own;
    }

    private static Headers typed(String type) {
        return Headers.of("Content-Type", type);
    }

    private static Response of(Headers headers, Content content) {
        return new Response(200, headers, content, false, false);
    }

    /** Creates a response of plain text in UTF-8. */
    public static Response text(String text) {
        return of(TEXT, new Content.Bytes(text.getBytes(UTF_8)));
    }

    /** Creates a response of HTML in UTF-8. */
    public static Response html(String page) {
        return of(HTML, new Content.Bytes(page.getBytes(UTF_8)));
    }

    /**
     * Creates a response of JSON.
     *
     * @param document the encoded document
     */
    public static Response json(String document) {
        return of(JSON, new Content.Bytes(document.getBytes(UTF_8)));
    }

    /**
     * Creates a response of bytes, with the type {@code application/octet-stream}. Do not change
     * the array afterwards.
     */
    public static Response bytes(byte[] bytes) {
        return of(OCTETS, new Content.Bytes(bytes));
    }

    /**
     * Creates a response without a body.
     *
     * @throws IllegalArgumentException if the status is not between 200 and 599
     */
    public static Response empty(int status) {
        return new Response(200, Headers.none(), Content.NONE, false, false).status(status);
    }

    /**
     * Creates a response of a file, whose name determines the content type. The file is opened when
     * the response is sent. To serve a path that comes from a client, validate it first.
     *
     * @throws IOException if the size of the file cannot be read
     */
    public static Response file(Path path) throws IOException {
        return of(
                typed(MimeTypes.of(path.getFileName().toString())),
                new Content.File(path, Files.size(path)));
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
    public static Response file(OpenFile file, long from, long length) {
        return segments(List.of(new BodySegment.Region(file, from, length)));
    }

    /**
     * Creates a response of several segments in a row, such as multiple ranges with their
     * separators, without a content type. Files are retained and released as by {@link
     * #file(OpenFile, long, long)}.
     */
    public static Response segments(List<BodySegment> pieces) {
        return new Response(
                200, Headers.none(), new Content.Pieces(new Segments(pieces)), false, false);
    }

    /**
     * Creates a response whose body is written while it is sent. A body that ends within the first
     * 8 KiB is sent with its length, a longer one in chunks; to an HTTP/1.0 client it ends with the
     * connection. If {@code writer} throws after the body has begun, the connection is reset.
     */
    public static Response stream(BodyWriter writer) {
        return of(OCTETS, new Content.Stream(writer, -1));
    }

    /**
     * Creates a response with a body of {@code length} bytes that is written while it is sent. If
     * {@code writer} writes more or less, the connection is reset.
     *
     * @throws IllegalArgumentException if the length is negative
     */
    public static Response stream(long length, BodyWriter writer) {
        checkLength(length);
        return of(OCTETS, new Content.Stream(writer, length));
    }

    /**
     * Creates a response whose body is produced without a thread, in chunks; to an HTTP/1.0 client
     * it ends with the connection. The headers are sent with the first segment. A source that fails
     * before it becomes a 500 response, and the handler timeout applies until then. There is no
     * timeout for later segments; the source must set its own if it needs one.
     */
    public static Response stream(BodySource source) {
        return of(OCTETS, new Content.Source(source, -1));
    }

    /**
     * Creates a response with a body of {@code length} bytes that is produced without a thread. If
     * the source produces more or less, the connection is reset.
     *
     * @throws IllegalArgumentException if the length is negative
     */
    public static Response stream(long length, BodySource source) {
        checkLength(length);
        return of(OCTETS, new Content.Source(source, length));
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
    public static Response events(SseWriter writer) {
        BodyWriter body =
                out -> {
                    try {
                        writer.write(new SseSink(out));
                    } catch (InterruptedException | InterruptedIOException e) {
                        Thread.interrupted(); // the server stops: the end is still to be sent
                    }
                };
        return of(EVENTS, new Content.Endless(body));
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
    public static Response webSocket(WebSocketHandler handler) {
        return webSocket(WebSockets.DEFAULT, handler);
    }

    /** Opens a WebSocket that a blocking handler serves, with settings. */
    public static Response webSocket(WebSockets sockets, WebSocketHandler conversation) {
        return webSocket(
                new Content.Upgrade(sockets.group, Optional.of(conversation), Optional.empty()));
    }

    /**
     * Opens a WebSocket that a listener serves with callbacks on its event loop. For very many
     * sockets that are mostly idle.
     */
    public static Response webSocket(WebSocketListener listener) {
        return webSocket(WebSockets.DEFAULT, listener);
    }

    /** Opens a WebSocket that a listener serves, with settings. */
    public static Response webSocket(WebSockets sockets, WebSocketListener listener) {
        return webSocket(
                new Content.Upgrade(sockets.group, Optional.empty(), Optional.of(listener)));
    }

    private static Response webSocket(Content.Upgrade upgrade) {
        return new Response(101, Headers.none(), upgrade, false, false);
    }

    /**
     * Creates a redirect with 302 (Found); {@link #status} changes it to 301, 303, 307 or 308.
     *
     * @param location an absolute or relative URI reference (RFC 9110 10.2.2), such as {@code
     *     https://example.org/a}, {@code /a?b} or {@code ../c}. Characters that a URI cannot
     *     contain, such as spaces, accented letters and backslashes, are percent-encoded
     * @throws IllegalArgumentException if the location contains a control character
     */
    public static Response redirect(String location) {
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
    public static Response async(CompletionStage<Response> response) {
        return new Response(200, Headers.none(), new Content.Later(response), false, false);
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
    public static Response asyncHandler(CompletionStage<? extends Handler> next) {
        return new Response(200, Headers.none(), new Content.After(next), false, false);
    }

    /**
     * Returns the result of {@code change} for this response. The change of an {@linkplain #async
     * asynchronous} response is applied when it completes. For filters.
     */
    public Response map(UnaryOperator<Response> change) {
        return switch (content) {
            case Content.Later(CompletionStage<Response> response) ->
                    async(response.thenApply(known -> known.map(change)));
            case Content.After(CompletionStage<? extends Handler> next) ->
                    asyncHandler(
                            next.thenApply(
                                    handler -> request -> handler.handle(request).map(change)));
            default -> change.apply(this);
        };
    }

    /**
     * Returns the result of {@code change} as {@link #map} does, and caches it with this response
     * while the same {@code change} is used. A response that is returned again is then changed and
     * encoded once. The change must depend on nothing but the response.
     */
    public Response mapOnce(UnaryOperator<Response> change) {
        Changed known = changed;
        if (known != null && known.by == change) {
            return known.to;
        }
        Response to =
                content instanceof Content.Later || content instanceof Content.After
                        ? map(response -> response.mapOnce(change))
                        : change.apply(this);
        changed = new Changed(change, to);
        return to;
    }

    /**
     * Returns a response whose body passes through a filter while it is sent: {@code
     * response.transformBody(out -> new GZIPOutputStream(out, true))}. The length of the new body
     * is unknown. Set the headers that describe it, such as {@code Content-Encoding}, separately. A
     * WebSocket response is returned unchanged.
     */
    public Response transformBody(BodyFilter filter) {
        return switch (content) {
            case Content.Later _, Content.After _ ->
                    map(response -> response.transformBody(filter));
            case Content.Endless(BodyWriter writer) ->
                    with(new Content.Endless(new FilteredWriter(filter, writer)));
            case Content.Stream(BodyWriter writer, long _) -> transformBody(filter, writer);
            case Content.Source(BodySource source, long _) ->
                    transformBody(filter, new SourceWriter(source));
            case Content.Bytes(byte[] bytes) -> transformBody(filter, out -> out.write(bytes));
            case Content.File(Path path, long _) ->
                    transformBody(filter, out -> Files.copy(path, out));
            case Content.Pieces(Segments segments) ->
                    transformBody(filter, new PieceWriter(segments));
            case Content.Upgrade _ -> this;
        };
    }

    private Response transformBody(BodyFilter filter, BodyWriter writer) {
        return with(new Content.Stream(new FilteredWriter(filter, writer), -1));
    }

    private Response with(Content other) {
        return new Response(status, headers, other, closeConnection, own, trailers);
    }

    /**
     * Returns a response with another status.
     *
     * @throws IllegalArgumentException if the status is not between 200 and 599, or if this is a
     *     WebSocket response
     */
    public Response status(int status) {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException(
                    "The status of a response must be 200 to 599, not " + status + ".");
        }
        if (content instanceof Content.Upgrade) {
            throw new IllegalArgumentException("A WebSocket response has status 101 and no other.");
        }
        boolean known = !(content instanceof Content.Later || content instanceof Content.After);
        boolean none = status == 205 && known; // RFC 9110 15.3.6
        return new Response(
                status, headers, none ? Content.NONE : content, closeConnection, own, trailers);
    }

    /**
     * Returns a response with an additional header. Headers of the same name are all sent. {@code
     * Location} is percent-encoded as by {@link #redirect}. {@code Connection: close} is the same
     * as {@link #closeConnection}.
     *
     * @throws IllegalArgumentException if the server sets this header, or if the name or value is
     *     invalid
     */
    public Response header(String name, String value) {
        if (OURS.contains(name)) {
            return ours(name, value);
        }
        return with(name, headers.with(name, encoded(name, value)));
    }

    /** Percent-encodes the value of {@code Location}, a URI reference. */
    private static String encoded(String name, String value) {
        return name.equalsIgnoreCase("Location") ? Location.encode(value) : value;
    }

    /**
     * Returns a response with a header that replaces all headers of the same name.
     *
     * @throws IllegalArgumentException if the server sets this header, or if the name or value is
     *     invalid
     */
    public Response setHeader(String name, String value) {
        return OURS.contains(name)
                ? ours(name, value)
                : with(name, headers.set(name, encoded(name, value)));
    }

    /**
     * Returns a response with {@code fields} instead of all its headers.
     *
     * @throws IllegalArgumentException if the server sets one of these headers
     */
    public Response headers(Headers fields) {
        boolean dated = false;
        Headers encoded = fields;
        for (int i = 0, n = fields.size(); i < n; i++) {
            String name = fields.name(i);
            if (mayBeOurs(name) && OURS.contains(name)) {
                return ours(name, "");
            }
            dated |= ofOurs(name);
            if (name.equalsIgnoreCase("Location")) {
                encoded = encoded.set(name, Location.encode(fields.value(i)));
            }
        }
        return new Response(status, encoded, content, closeConnection, dated, trailers);
    }

    /** Returns a response with another {@code Content-Type}. */
    public Response contentType(String type) {
        return setHeader("Content-Type", type);
    }

    /** Returns a response with an additional cookie. */
    public Response cookie(Cookie cookie) {
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
    public Response trailers(Supplier<Headers> trailers) {
        Objects.requireNonNull(trailers, "trailers");
        return content instanceof Content.Later || content instanceof Content.After
                ? map(response -> response.trailers(trailers))
                : new Response(status, headers, content, closeConnection, own, trailers);
    }

    /** Returns the supplier of the trailers, or null. */
    Supplier<Headers> trailers() {
        return trailers;
    }

    /** Returns a response after which the connection is closed. */
    public Response closeConnection() {
        return new Response(status, headers, content, true, own, trailers);
    }

    private Response with(String name, Headers changed) {
        return new Response(
                status, changed, content, closeConnection, own || ofOurs(name), trailers);
    }

    private static boolean ofOurs(String name) {
        return name.equalsIgnoreCase("Date") || name.equalsIgnoreCase("Server");
    }

    /**
     * Returns whether the name begins like one of {@link #OURS}. Few others do, so most need no
     * lookup.
     */
    private static boolean mayBeOurs(String name) {
        return "cktuCKTU".indexOf(name.charAt(0)) >= 0;
    }

    /**
     * Returns whether it has its own {@code Date} or {@code Server}, which overrides the server's.
     */
    boolean ownDateOrServer() {
        return own;
    }

    /** Returns a response with additional headers, unchecked. */
    Response with(Headers more) {
        return new Response(status, headers.with(more), content, closeConnection, own, trailers);
    }

    private Response ours(String name, String value) {
        if (name.equalsIgnoreCase("Connection") && value.equalsIgnoreCase("close")) {
            return closeConnection();
        }
        throw new IllegalArgumentException(
                name
                        + " is set by the server; use Response.closeConnection() to close the"
                        + " connection, and Response.stream(length, ...) to set a length.");
    }

    private static Set<String> ours() {
        var names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.addAll(
                Set.of(
                        "Connection",
                        "Content-Length",
                        "Keep-Alive",
                        "Trailer",
                        "Transfer-Encoding",
                        "Upgrade"));
        return names;
    }

    /** Returns the status code. */
    public int status() {
        return status;
    }

    /** Returns the headers, without those that the server adds. */
    public Headers headers() {
        return headers;
    }

    /** Returns the length of the body in bytes, if it is known in advance. */
    public OptionalLong length() {
        return switch (content) {
            case Content.Bytes(byte[] bytes) -> OptionalLong.of(bytes.length);
            case Content.File(Path _, long length) -> OptionalLong.of(length);
            case Content.Pieces(Segments segments) -> OptionalLong.of(segments.length());
            case Content.Stream(BodyWriter _, long length) when length >= 0 ->
                    OptionalLong.of(length);
            case Content.Source(BodySource _, long length) when length >= 0 ->
                    OptionalLong.of(length);
            case Content.Source _ -> OptionalLong.empty();
            case Content.Stream _,
                    Content.Endless _,
                    Content.Later _,
                    Content.After _,
                    Content.Upgrade _ ->
                    OptionalLong.empty();
        };
    }

    Content content() {
        return content;
    }

    /** Releases the files of a response that is not sent. */
    void release() {
        if (content instanceof Content.Pieces(Segments segments)) {
            segments.release();
        } else if (content instanceof Content.Source(BodySource source, long _)) {
            source.close();
        }
    }

    /** Returns whether it can be sent without a thread that writes it. */
    boolean atHand() {
        return content instanceof Content.Bytes
                || content instanceof Content.Pieces
                || content instanceof Content.Source;
    }

    boolean closes() {
        return closeConnection;
    }

    /** Returns whether its status has no content, whatever the method (RFC 9110 6.4.1). */
    boolean bodiless() {
        return status == 204 || status == 304;
    }

    /**
     * Returns whether it was sent before, and so is kept by the handler. Threads that race for the
     * first time may both get false.
     */
    boolean sentBefore() {
        boolean before = sent;
        sent = true;
        return before;
    }

    /** Returns whether it was encoded before, and so is sent repeatedly. */
    boolean wasEncoded() {
        boolean before = used;
        used = true;
        return before;
    }

    /** Returns the cached encoding, or null. */
    Object encoded() {
        return encoded;
    }

    /** Caches the encoding, whose form depends on the version of HTTP. */
    void encoded(Object encoded) {
        this.encoded = encoded;
    }
}

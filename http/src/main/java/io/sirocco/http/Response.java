// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

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
 * A status, header fields and a body. Made by a factory, refined by methods that answer a changed
 * copy:
 *
 * <pre>{@code
 * Response.json("{\"id\": 7}").status(201).header("Location", "/items/7")
 * }</pre>
 *
 * <p>{@code Connection} and the framing of the body are the server's own affair; {@code Date} and
 * {@code Server} are its own unless they are set. A response that is kept and returned again is
 * encoded once. Immutable.
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

    /** What {@link #mapOnce} has answered last. */
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

    /** Plain text in UTF-8. */
    public static Response text(String text) {
        return of(TEXT, new Content.Bytes(text.getBytes(UTF_8)));
    }

    /** A page in UTF-8. */
    public static Response html(String page) {
        return of(HTML, new Content.Bytes(page.getBytes(UTF_8)));
    }

    /** A JSON document, encoded already. */
    public static Response json(String document) {
        return of(JSON, new Content.Bytes(document.getBytes(UTF_8)));
    }

    /** Bytes, which must not change any more. */
    public static Response bytes(byte[] bytes) {
        return of(OCTETS, new Content.Bytes(bytes));
    }

    /** Nothing but a status. */
    public static Response empty(int status) {
        return new Response(200, Headers.none(), Content.NONE, false, false).status(status);
    }

    /**
     * A file, with the type that its name tells.
     *
     * @throws IOException when it cannot be read
     */
    public static Response file(Path path) throws IOException {
        return of(
                typed(MimeTypes.of(path.getFileName().toString())),
                new Content.File(path, Files.size(path)));
    }

    /**
     * {@code length} bytes of an open file from {@code from} on, without a type. The kernel sends
     * them where it can: no thread waits, and nothing waits in memory. The caller has {@linkplain
     * OpenFile#retain retained} the file for it, and it is released when it has been sent, or when
     * {@code HEAD} was asked for. A response that is kept and returned again retains it anew for
     * each further request, which fails with 500 once the file is closed.
     */
    public static Response file(OpenFile file, long from, long length) {
        return segments(List.of(new BodySegment.Region(file, from, length)));
    }

    /** The same of several pieces in a row, such as ranges with what stands between them. */
    public static Response segments(List<BodySegment> pieces) {
        return new Response(200, Headers.none(), new Content.Pieces(pieces), false, false);
    }

    /**
     * A body of unknown length, written while it is sent: in chunks, or up to the close for
     * HTTP/1.0.
     */
    public static Response stream(BodyWriter writer) {
        return of(OCTETS, new Content.Stream(writer, -1));
    }

    /**
     * A body of {@code length} bytes, written while it is sent; to write more or fewer ends the
     * connection.
     */
    public static Response stream(long length, BodyWriter writer) {
        checkLength(length);
        return of(OCTETS, new Content.Stream(writer, length));
    }

    /**
     * A body of unknown length that {@code source} produces without a thread: in chunks, or up to
     * the close for HTTP/1.0. The headers leave with the first piece; a source that fails before
     * that is responded to as a handler that throws, and until then the handler's timeout counts.
     * For the time between later pieces the source has a timeout of its own if it needs one.
     */
    public static Response stream(BodySource source) {
        return of(OCTETS, new Content.Source(source, -1));
    }

    /** The same with a body of {@code length} bytes; more or fewer break the response off. */
    public static Response stream(long length, BodySource source) {
        checkLength(length);
        return of(OCTETS, new Content.Source(source, length));
    }

    private static void checkLength(long length) {
        if (length < 0) {
            throw new IllegalArgumentException("A body has 0 bytes or more, not " + length + ".");
        }
    }

    /**
     * Server-sent events (HTML Living Standard 9.2), for as long as {@code writer} runs. The head
     * of the response leaves with the first event, or after a tenth of a second without one: if
     * {@code writer} throws before that, the client gets 500. A server that stops interrupts it at
     * once: clients come again, and find another one.
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
     * Opens a WebSocket, and talks over it on a virtual thread: in plain blocking code.
     *
     * <pre>{@code
     * routes.get("/echo", request -> Response.webSocket(socket -> {
     *     while (socket.receive() instanceof WebSocket.Text(String text)) socket.send(text);
     * }));
     * }</pre>
     *
     * <p>The request may be used for as long as the conversation. One that asks for no WebSocket
     * gets 426, one from a page of another origin 403.
     */
    public static Response webSocket(WebSocketHandler conversation) {
        return webSocket(WebSockets.DEFAULT, conversation);
    }

    /** The same by other settings. */
    public static Response webSocket(WebSockets sockets, WebSocketHandler conversation) {
        return webSocket(new Content.Upgrade(sockets, Optional.of(conversation), Optional.empty()));
    }

    /**
     * Opens a WebSocket, and tells {@code listener} what happens on it, on its loop: for very many
     * sockets, each of which is mostly idle.
     */
    public static Response webSocket(WebSocketListener listener) {
        return webSocket(WebSockets.DEFAULT, listener);
    }

    /** The same by other settings. */
    public static Response webSocket(WebSockets sockets, WebSocketListener listener) {
        return webSocket(new Content.Upgrade(sockets, Optional.empty(), Optional.of(listener)));
    }

    private static Response webSocket(Content.Upgrade upgrade) {
        return new Response(101, Headers.none(), upgrade, false, false);
    }

    /**
     * Sends the client elsewhere, with 302 Found; {@link #status} makes it 301, 303, 307 or 308.
     *
     * @param location a URI reference, absolute or relative (RFC 9110 10.2.2): {@code
     *     https://example.org/a}, {@code /a?b}, {@code ../c}. What a URI cannot have, such as a
     *     blank, a letter with an accent or a backslash, is percent-encoded
     * @throws IllegalArgumentException for a control character
     */
    public static Response redirect(String location) {
        return empty(302).header("Location", location);
    }

    /**
     * The response that {@code response} will be completed with, by any thread. Until then no
     * thread waits; when the handler's deadline passes first, the client gets 504.
     */
    public static Response async(CompletionStage<Response> response) {
        return new Response(200, Headers.none(), new Content.Later(response), false, false);
    }

    /**
     * What a handler will answer that is known later: when {@code next} is complete, its handler is
     * called with the request, where the handlers of the route run. Until then no thread waits;
     * when the deadline of the handler passes first, the client gets 504. So a filter may look
     * something up elsewhere, and go on:
     *
     * <pre>{@code
     * return Response.asyncHandler(lookUp(name).thenApply(known -> known ? next : STRANGER));
     * }</pre>
     *
     * <p>Whoever completes {@code next} must not touch the request.
     */
    public static Response asyncHandler(CompletionStage<? extends Handler> next) {
        return new Response(200, Headers.none(), new Content.After(next), false, false);
    }

    /**
     * What {@code change} makes of this response: at once, or of what {@link #async} and {@link
     * #asyncHandler} will answer when it is there. For filters that change what comes back.
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
     * As {@link #map}, for a change that depends on nothing but the response: what it made is kept
     * with this response for as long as the same {@code change} asks. So a response that is kept
     * and returned again is changed once, and encoded once.
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
     * The same with its body passed through a filter while it is sent, so that nobody knows its
     * length before: {@code response.through(out -> new GZIPOutputStream(out, true))}. What the new
     * body is must be said by header fields.
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
            case Content.Pieces pieces -> transformBody(filter, new PieceWriter(pieces));
            case Content.Upgrade _ -> this;
        };
    }

    private Response transformBody(BodyFilter filter, BodyWriter writer) {
        return with(new Content.Stream(new FilteredWriter(filter, writer), -1));
    }

    private Response with(Content other) {
        return new Response(status, headers, other, closeConnection, own, trailers);
    }

    /** The same with another status, 200 to 599. */
    public Response status(int status) {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException(
                    "The status of a response is 200 to 599, not " + status + ".");
        }
        if (content instanceof Content.Upgrade) {
            throw new IllegalArgumentException(
                    "An upgrade is answered with 101: it can have no other status.");
        }
        boolean known = !(content instanceof Content.Later || content instanceof Content.After);
        boolean none = status == 205 && known; // RFC 9110 15.3.6
        return new Response(
                status, headers, none ? Content.NONE : content, closeConnection, own, trailers);
    }

    /**
     * The same with one more header field; several of one name are all sent.
     *
     * @throws IllegalArgumentException for a field that is the server's own affair, and for a name
     *     or a value that cannot be sent
     */
    public Response header(String name, String value) {
        if (OURS.contains(name)) {
            return ours(name, value);
        }
        return with(name, headers.with(name, encoded(name, value)));
    }

    /** A {@code Location} is a URI reference: what that cannot have is percent-encoded. */
    private static String encoded(String name, String value) {
        return name.equalsIgnoreCase("Location") ? Location.encode(value) : value;
    }

    /** The same with this header field in the place of all of its name. */
    public Response setHeader(String name, String value) {
        return OURS.contains(name)
                ? ours(name, value)
                : with(name, headers.set(name, encoded(name, value)));
    }

    /**
     * The same with these header fields in the place of all.
     *
     * @throws IllegalArgumentException when one of them is the server's own affair
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

    /** The same with another {@code Content-Type}. */
    public Response contentType(String type) {
        return setHeader("Content-Type", type);
    }

    /** The same with one more cookie. */
    public Response cookie(Cookie cookie) {
        return header("Set-Cookie", cookie.encode());
    }

    /**
     * The same with trailers (RFC 9110 6.5): headers that are known when the body is complete, such
     * as a checksum. {@code trailers} is called then, on the loop, and must not block. The body is
     * sent in chunks; HTTP/1.0 clients, and others that drop trailers, do not get them.
     *
     * <p>A {@code trailers} that throws, or returns a header that must not be a trailer, such as
     * {@code Content-Type}, breaks the response off.
     */
    public Response trailers(Supplier<Headers> trailers) {
        Objects.requireNonNull(trailers, "trailers");
        return content instanceof Content.Later || content instanceof Content.After
                ? map(response -> response.trailers(trailers))
                : new Response(status, headers, content, closeConnection, own, trailers);
    }

    /** Returns what makes the trailers, or null. */
    Supplier<Headers> trailers() {
        return trailers;
    }

    /** The same, and the connection is closed behind it. */
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

    /** Whether it begins as one of {@link #OURS} does: few others do, and need no look-up. */
    private static boolean mayBeOurs(String name) {
        return "cktuCKTU".indexOf(name.charAt(0)) >= 0;
    }

    /**
     * Whether it has a {@code Date} or a {@code Server} of its own, which goes before the server's.
     */
    boolean ownDateOrServer() {
        return own;
    }

    /** The same with fields that are the server's own affair, or not. */
    Response with(Headers more) {
        return new Response(status, headers.with(more), content, closeConnection, own, trailers);
    }

    private Response ours(String name, String value) {
        if (name.equalsIgnoreCase("Connection") && value.equalsIgnoreCase("close")) {
            return closeConnection();
        }
        throw new IllegalArgumentException(
                name
                        + " is set by the server; Response.close() ends the connection, and"
                        + " Response.stream(length, ...) states a length.");
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

    /** The status code. */
    public int status() {
        return status;
    }

    /** The header fields that were set. */
    public Headers headers() {
        return headers;
    }

    /** Bytes of the body, when they are known before it is sent. */
    public OptionalLong length() {
        return switch (content) {
            case Content.Bytes(byte[] bytes) -> OptionalLong.of(bytes.length);
            case Content.File(Path _, long length) -> OptionalLong.of(length);
            case Content.Pieces pieces -> OptionalLong.of(pieces.length());
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

    /** Nobody will send it: gives the files that it has back. */
    void release() {
        if (content instanceof Content.Pieces pieces) {
            pieces.release();
        } else if (content instanceof Content.Source(BodySource source, long _)) {
            source.close();
        }
    }

    /** Whether it can be sent without a thread that writes it. */
    boolean atHand() {
        return content instanceof Content.Bytes
                || content instanceof Content.Pieces
                || content instanceof Content.Source;
    }

    boolean closes() {
        return closeConnection;
    }

    /** RFC 9110 6.4.1: no content whatever is asked for; the framing says so by itself. */
    boolean bodiless() {
        return status == 204 || status == 304;
    }

    /**
     * Whether it was sent before, and so lives on behind this time as well. Threads that race for
     * the first time may both be told that it was not.
     */
    boolean sentBefore() {
        boolean before = sent;
        sent = true;
        return before;
    }

    /** Returns whether it was asked for this before, and so is sent again and again. */
    boolean wasEncoded() {
        boolean before = used;
        used = true;
        return before;
    }

    /** Returns what {@link #encoded(Object)} has kept last, or null. */
    Object encoded() {
        return encoded;
    }

    /** Keeps this response as a version of HTTP encodes it, which alone knows how. */
    void encoded(Object encoded) {
        this.encoded = encoded;
    }
}

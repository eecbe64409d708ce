// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.net.OpenFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
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
    private static final int LARGEST_IMAGE = 16 << 10; // a connection has room for it at once

    private final int status;
    private final Headers headers;
    private final Content content;
    private final boolean close;
    private final boolean own; // has a Date or a Server of its own

    // Caches, which loops may race for: each would write the same.
    private boolean used;
    private boolean sent;
    private Image image;
    private Changed changed;

    /**
     * All of a response as it goes over the wire, good for as long as {@code date} is the array in
     * use.
     */
    private record Image(byte[] date, byte[] bytes) {}

    /** What {@link #mapOnce} has answered last. */
    private record Changed(UnaryOperator<Response> by, Response to) {}

    private Response(int status, Headers headers, Content content, boolean close, boolean own) {
        this.status = status;
        this.headers = headers;
        this.content = content;
        this.close = close;
        this.own = own;
    }

    private static Response of(String type, Content content) {
        return new Response(200, Headers.of("Content-Type", type), content, false, false);
    }

    /** Plain text in UTF-8. */
    public static Response text(String text) {
        return of("text/plain; charset=utf-8", new Content.Bytes(text.getBytes(UTF_8)));
    }

    /** A page in UTF-8. */
    public static Response html(String page) {
        return of("text/html; charset=utf-8", new Content.Bytes(page.getBytes(UTF_8)));
    }

    /** A JSON document, encoded already. */
    public static Response json(String document) {
        return of("application/json", new Content.Bytes(document.getBytes(UTF_8)));
    }

    /** Bytes, which must not change any more. */
    public static Response bytes(byte[] bytes) {
        return of("application/octet-stream", new Content.Bytes(bytes));
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
                MimeTypes.of(path.getFileName().toString()),
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
        return pieces(List.of(new Piece.Region(file, from, length)));
    }

    /** The same of several pieces in a row, such as ranges with what stands between them. */
    public static Response pieces(List<Piece> pieces) {
        return new Response(200, Headers.none(), new Content.Pieces(pieces), false, false);
    }

    /**
     * A body of unknown length, written while it is sent: in chunks, or up to the close for
     * HTTP/1.0.
     */
    public static Response stream(BodyWriter writer) {
        return of("application/octet-stream", new Content.Stream(writer, -1));
    }

    /**
     * A body of {@code length} bytes, written while it is sent; to write more or fewer ends the
     * connection.
     */
    public static Response stream(long length, BodyWriter writer) {
        if (length < 0) {
            throw new IllegalArgumentException("A body has 0 bytes or more, not " + length + ".");
        }
        return of("application/octet-stream", new Content.Stream(writer, length));
    }

    /**
     * Server-sent events (HTML Living Standard 9.2), for as long as {@code writer} runs. The head
     * of the response leaves with the first event, or after a tenth of a second without one: if
     * {@code writer} throws before that, the client gets 500. A server that stops interrupts it at
     * once: clients come again, and find another one.
     */
    public static Response events(EventWriter writer) {
        BodyWriter body =
                out -> {
                    try {
                        writer.write(new Sink(out));
                    } catch (InterruptedException | InterruptedIOException e) {
                        Thread.interrupted(); // the server stops: the end is still to be sent
                    }
                };
        return of("text/event-stream", new Content.Endless(body))
                .header("Cache-Control", "no-store");
    }

    /**
     * Opens a WebSocket, and talks over it on a virtual thread: in plain blocking code.
     *
     * <pre>{@code
     * routes.get("/echo", request -> Response.upgrade(socket -> {
     *     while (socket.receive() instanceof WebSocket.Text(String text)) socket.send(text);
     * }));
     * }</pre>
     *
     * <p>The request may be used for as long as the conversation. One that asks for no WebSocket
     * gets 426, one from a page of another origin 403.
     */
    public static Response upgrade(Conversation conversation) {
        return upgrade(WebSockets.DEFAULT, conversation);
    }

    /** The same by other settings. */
    public static Response upgrade(WebSockets sockets, Conversation conversation) {
        return upgrade(new Content.Upgrade(sockets, Optional.of(conversation), Optional.empty()));
    }

    /**
     * Opens a WebSocket, and tells {@code listener} what happens on it, on its loop: for very many
     * sockets, each of which is mostly idle.
     */
    public static Response upgrade(WebSocketListener listener) {
        return upgrade(WebSockets.DEFAULT, listener);
    }

    /** The same by other settings. */
    public static Response upgrade(WebSockets sockets, WebSocketListener listener) {
        return upgrade(new Content.Upgrade(sockets, Optional.empty(), Optional.of(listener)));
    }

    private static Response upgrade(Content.Upgrade upgrade) {
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
    public static Response later(CompletionStage<Response> response) {
        return new Response(200, Headers.none(), new Content.Later(response), false, false);
    }

    /**
     * What a handler will answer that is known later: when {@code next} is complete, its handler is
     * called with the request, where the handlers of the route run. Until then no thread waits;
     * when the deadline of the handler passes first, the client gets 504. So a filter may look
     * something up elsewhere, and go on:
     *
     * <pre>{@code
     * return Response.after(lookUp(name).thenApply(known -> known ? next : STRANGER));
     * }</pre>
     *
     * <p>Whoever completes {@code next} must not touch the request.
     */
    public static Response after(CompletionStage<? extends Handler> next) {
        return new Response(200, Headers.none(), new Content.After(next), false, false);
    }

    /**
     * What {@code change} makes of this response: at once, or of what {@link #later} and {@link
     * #after} will answer when it is there. For filters that change what comes back.
     */
    public Response map(UnaryOperator<Response> change) {
        return switch (content) {
            case Content.Later(CompletionStage<Response> response) ->
                    later(response.thenApply(known -> known.map(change)));
            case Content.After(CompletionStage<? extends Handler> next) ->
                    after(
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
    public Response through(BodyFilter filter) {
        return switch (content) {
            case Content.Later _, Content.After _ -> map(response -> response.through(filter));
            case Content.Endless(BodyWriter writer) ->
                    with(new Content.Endless(new Filtered(filter, writer)));
            case Content.Stream(BodyWriter writer, long _) -> through(filter, writer);
            case Content.Bytes(byte[] bytes) -> through(filter, out -> out.write(bytes));
            case Content.File(Path path, long _) -> through(filter, out -> Files.copy(path, out));
            case Content.Pieces pieces -> through(filter, new PieceWriter(pieces));
            case Content.Upgrade _ -> this;
        };
    }

    private Response through(BodyFilter filter, BodyWriter writer) {
        return with(new Content.Stream(new Filtered(filter, writer), -1));
    }

    private Response with(Content other) {
        return new Response(status, headers, other, close, own);
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
        return new Response(status, headers, none ? Content.NONE : content, close, own);
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
        return new Response(status, encoded, content, close, dated);
    }

    /** The same with another {@code Content-Type}. */
    public Response type(String type) {
        return setHeader("Content-Type", type);
    }

    /** The same with one more cookie. */
    public Response cookie(Cookie cookie) {
        return header("Set-Cookie", cookie.encode());
    }

    /** The same, and the connection is closed behind it. */
    public Response close() {
        return new Response(status, headers, content, true, own);
    }

    private Response with(String name, Headers changed) {
        return new Response(status, changed, content, close, own || ofOurs(name));
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
        return new Response(status, headers.with(more), content, close, own);
    }

    private Response ours(String name, String value) {
        if (name.equalsIgnoreCase("Connection") && value.equalsIgnoreCase("close")) {
            return close();
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
        }
    }

    /** Whether it can be sent without a thread that writes it. */
    boolean atHand() {
        return content instanceof Content.Bytes || content instanceof Content.Pieces;
    }

    boolean closes() {
        return close;
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

    /**
     * All of it as it goes over the wire when the connection stays open; null the first time, when
     * nobody knows yet whether that pays, and when it is large.
     */
    byte[] image(byte[] date) {
        Image known = image;
        if (known != null && known.date == date) {
            return known.bytes;
        }
        if (!used) {
            used = true;
            return null;
        }
        if (!(content instanceof Content.Bytes(byte[] body))
                || body.length > LARGEST_IMAGE
                || own
                || bodiless()) {
            return null;
        }
        byte[] bytes = ResponseHead.image(this, date, body);
        if (bytes.length > LARGEST_IMAGE) {
            return null;
        }
        image = new Image(date, bytes);
        return bytes;
    }
}

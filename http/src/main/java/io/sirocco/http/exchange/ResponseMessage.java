// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.BodyFilter;
import io.sirocco.http.BodySource;
import io.sirocco.http.BodyWriter;
import io.sirocco.http.Handler;
import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import io.sirocco.http.body.FilteredWriter;
import io.sirocco.http.body.PieceWriter;
import io.sirocco.http.body.Segments;
import io.sirocco.http.body.SourceWriter;
import io.sirocco.http.message.Location;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A {@link Response} as a value: its status, headers and {@link Content}, and what loops keep of it
 * between two requests. Immutable, but for these caches.
 */
public final class ResponseMessage implements Response {

    private static final List<String> DIGESTS =
            List.of("Content-Digest", "Repr-Digest", "Digest", "Content-MD5");

    public static final Headers TEXT = typed("text/plain; charset=utf-8");
    public static final Headers HTML = typed("text/html; charset=utf-8");
    public static final Headers JSON = typed("application/json");
    public static final Headers OCTETS = typed("application/octet-stream");
    public static final Headers EVENTS =
            typed("text/event-stream").with("Cache-Control", "no-store");

    /** A response without a body. */
    public static final Response EMPTY = new ResponseMessage(Headers.none(), Content.Bytes.NONE);

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

    /** Creates a response of status 200. */
    public ResponseMessage(Headers headers, Content content) {
        this(200, headers, content, false, false, null);
    }

    private ResponseMessage(
            int status,
            Headers headers,
            Content content,
            boolean close,
            boolean own,
            Supplier<Headers> trailers) {
        this.status = status;
        this.headers = headers;
        this.content = content;
        this.closeConnection = close;
        this.own = own;
        this.trailers = trailers;
    }

    /**
     * Creates a response that another server sent.
     *
     * @throws IllegalArgumentException if the status or a header cannot be forwarded
     */
    public static Response forwarded(int status, Headers headers, Content body) {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException(
                    "The status of a response must be 200 to 599, not " + status + ".");
        }
        String reserved = ReservedHeaders.framing(headers);
        if (reserved != null) {
            throw new IllegalArgumentException(reserved + " is set by the server.");
        }
        boolean own = ReservedHeaders.overrides(headers);
        Content sent = body;
        if (status == 205) { // RFC 9110 15.3.6: it has no content
            body.release();
            sent = Content.Bytes.NONE;
        }
        return new ResponseMessage(status, headers, sent, false, own, null);
    }

    /** Creates the response that accepts a WebSocket, or another protocol. */
    public static Response upgrade(Content upgrade) {
        return new ResponseMessage(101, Headers.none(), upgrade, false, false, null);
    }

    /** Returns headers with only a {@code Content-Type}. */
    public static Headers typed(String type) {
        return Headers.of("Content-Type", type);
    }

    @Override
    public Response map(UnaryOperator<Response> change) {
        if (content instanceof Content.Async(CompletionStage<Response> response, boolean inCall)) {
            return with(new Content.Async(response.thenApply(known -> known.map(change)), inCall));
        }
        if (content instanceof Content.AsyncHandler(CompletionStage<? extends Handler> next)) {
            return Response.asyncHandler(
                    next.thenApply(handler -> request -> handler.handle(request).map(change)));
        }
        return change.apply(this);
    }

    @Override
    public Response mapOnce(UnaryOperator<Response> change) {
        Changed known = changed;
        if (known != null && known.by == change) {
            return known.to;
        }
        Response to =
                !content.known() ? map(response -> response.mapOnce(change)) : change.apply(this);
        changed = new Changed(change, to);
        return to;
    }

    @Override
    public Response transformBody(BodyFilter filter) {
        return switch (content) {
            case Content.Async _, Content.AsyncHandler _ ->
                    map(response -> response.transformBody(filter));
            case Content.EventStream(BodyWriter writer) ->
                    withoutDigests()
                            .with(new Content.EventStream(new FilteredWriter(filter, writer)));
            case Content.Stream(BodyWriter writer, long _) -> transformBody(filter, writer);
            case Content.Source(BodySource source, long _, boolean _) ->
                    transformBody(filter, new SourceWriter(source));
            case Content.Bytes(byte[] bytes) -> transformBody(filter, out -> out.write(bytes));
            case Content.File(Path path, long _) ->
                    transformBody(filter, out -> Files.copy(path, out));
            case Content.Pieces(Segments segments) ->
                    transformBody(filter, new PieceWriter(segments));
            case Content.Upgrade _, Content.Switch _ -> this;
        };
    }

    private Response transformBody(BodyFilter filter, BodyWriter writer) {
        return withoutDigests().with(new Content.Stream(new FilteredWriter(filter, writer), -1));
    }

    /** A digest of the content is not that of the changed one (RFC 9530 2, 3; RFC 1864). */
    private ResponseMessage withoutDigests() {
        Headers left = headers;
        for (String name : DIGESTS) {
            left = left.has(name) ? left.without(name) : left;
        }
        return left == headers
                ? this
                : new ResponseMessage(status, left, content, closeConnection, own, trailers);
    }

    private ResponseMessage with(Content other) {
        return new ResponseMessage(status, headers, other, closeConnection, own, trailers);
    }

    @Override
    public Response status(int status) {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException(
                    "The status of a response must be 200 to 599, not " + status + ".");
        }
        if (content instanceof Content.Upgrade || content instanceof Content.Switch) {
            throw new IllegalArgumentException(
                    "The response of an upgrade has status 101 and no other.");
        }
        if (!content.known()) {
            return map(response -> response.status(status));
        }
        boolean none = status == 205; // RFC 9110 15.3.6
        return new ResponseMessage(
                status,
                headers,
                none ? Content.Bytes.NONE : content,
                closeConnection,
                own,
                trailers);
    }

    @Override
    public Response header(String name, String value) {
        if (ReservedHeaders.has(name)) {
            return ours(name, value);
        }
        Response added = with(name, headers.with(name, encoded(name, value)));
        return content.known() ? added : map(response -> response.header(name, value));
    }

    /** Percent-encodes the value of {@code Location}, a URI reference. */
    private static String encoded(String name, String value) {
        return name.equalsIgnoreCase("Location") ? Location.encode(value) : value;
    }

    @Override
    public Response setHeader(String name, String value) {
        if (ReservedHeaders.has(name)) {
            return ours(name, value);
        }
        Response set = with(name, headers.set(name, encoded(name, value)));
        return content.known() ? set : map(response -> response.setHeader(name, value));
    }

    @Override
    public Response headers(Headers fields) {
        if (!content.known()) {
            return map(response -> response.headers(fields));
        }
        String reserved = ReservedHeaders.framing(fields);
        if (reserved == null && !kept("Trailer", fields)) {
            reserved = "Trailer";
        }
        if (reserved != null) {
            return ours(reserved, "");
        }
        Headers encoded = fields;
        if (!kept("Location", fields)) {
            for (int i = 0, n = fields.size(); i < n; i++) {
                if (fields.isNamed(i, "Location")) {
                    encoded = encoded.set(fields.name(i), Location.encode(fields.value(i)));
                }
            }
        }
        boolean dated = ReservedHeaders.overrides(fields);
        return new ResponseMessage(status, encoded, content, closeConnection, dated, trailers);
    }

    /**
     * Returns whether {@code fields} have no values of a name but those of this response, which are
     * as another server has sent them, or were checked before.
     */
    private boolean kept(String name, Headers fields) {
        return !fields.has(name) || headers.all(name).containsAll(fields.all(name));
    }

    @Override
    public Response trailers(Supplier<Headers> trailers) {
        Objects.requireNonNull(trailers, "trailers");
        return !content.known()
                ? map(response -> response.trailers(trailers))
                : new ResponseMessage(status, headers, content, closeConnection, own, trailers);
    }

    /** Returns the supplier of the trailers, or null. */
    public Supplier<Headers> trailers() {
        return trailers;
    }

    @Override
    public Response closeConnection() {
        if (!content.known()) {
            return map(Response::closeConnection);
        }
        return new ResponseMessage(status, headers, content, true, own, trailers);
    }

    private Response with(String name, Headers changed) {
        return new ResponseMessage(
                status,
                changed,
                content,
                closeConnection,
                own || ReservedHeaders.overridable(name),
                trailers);
    }

    /**
     * Returns whether it has its own {@code Date} or {@code Server}, which overrides the server's.
     */
    public boolean ownDateOrServer() {
        return own;
    }

    /** Returns a response with additional headers, unchecked. */
    ResponseMessage with(Headers more) {
        return new ResponseMessage(
                status, headers.with(more), content, closeConnection, own, trailers);
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

    @Override
    public int status() {
        return status;
    }

    @Override
    public Headers headers() {
        return headers;
    }

    @Override
    public OptionalLong length() {
        long length = content.length();
        return length < 0 ? OptionalLong.empty() : OptionalLong.of(length);
    }

    @Override
    public void writeBody(OutputStream out) throws IOException, InterruptedException {
        switch (content) {
            case Content.Bytes(byte[] bytes) -> out.write(bytes);
            case Content.File(Path path, long _) -> Files.copy(path, out);
            case Content.Stream(BodyWriter writer, long _) -> writer.write(out);
            case Content.Source(BodySource source, long _, boolean _) ->
                    new SourceWriter(source).write(out);
            case Content.Pieces(Segments segments) -> new PieceWriter(segments).write(out);
            case Content.EventStream _,
                    Content.Async _,
                    Content.AsyncHandler _,
                    Content.Upgrade _,
                    Content.Switch _ ->
                    throw new IllegalStateException("The response has no body to be read.");
        }
    }

    /** Returns the body. */
    public Content content() {
        return content;
    }

    /** Returns whether the connection is closed behind it. */
    public boolean closes() {
        return closeConnection;
    }

    /** Returns whether its status has no content, whatever the method (RFC 9110 6.4.1). */
    public boolean bodiless() {
        return status == 204 || status == 304;
    }

    /**
     * Returns whether it was sent before, and so is kept by the handler. Threads that race for the
     * first time may both get false.
     */
    public boolean sentBefore() {
        boolean before = sent;
        sent = true;
        return before;
    }

    /** Returns whether it was encoded before, and so is sent repeatedly. */
    public boolean wasEncoded() {
        boolean before = used;
        used = true;
        return before;
    }

    /** Returns the cached encoding, or null. */
    public Object encoded() {
        return encoded;
    }

    /** Caches the encoding, whose form depends on the version of HTTP. */
    public void encoded(Object encoded) {
        this.encoded = encoded;
    }
}

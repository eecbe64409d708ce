// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.BodySource;
import io.sirocco.http.BodyWriter;
import io.sirocco.http.Headers;
import io.sirocco.net.Connection;
import io.sirocco.net.Protocol;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A request that an {@link HttpClient} sends: method, URL, headers, and a body of bytes, of a
 * {@link BodySource}, or written to a stream. Each method returns a changed copy.
 *
 * <pre>{@code
 * ClientRequest.post("http://localhost:8080/orders")
 *     .header("Content-Type", "application/json")
 *     .body("{\"number\": 7}")
 * }</pre>
 *
 * <p>The client writes Host (unless it is set), Content-Length, Transfer-Encoding, Connection,
 * Upgrade and Expect itself. Immutable; a body that can be produced only once makes the request one
 * that can be sent only once.
 */
public final class ClientRequest {
    private static final Set<String> OURS =
            Set.of(
                    "connection",
                    "content-length",
                    "expect",
                    "http2-settings",
                    "keep-alive",
                    "proxy-connection",
                    "transfer-encoding",
                    "upgrade");

    /** RFC 9110 9.2.2. */
    private static final Set<String> IDEMPOTENT =
            Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY");

    private static final Content NOTHING = new Content(new byte[0], 0, null, null, true);

    final String method;
    final HttpOrigin origin;
    final String authority;
    final String target;
    Headers headers = Headers.none();
    Content content = NOTHING;
    Supplier<Headers> trailers; // null for none
    InterimListener interim = (status, fields) -> {};
    boolean expects;
    boolean idempotent;
    boolean closes;
    long totalMillis; // 0 for the client's
    String protocol = ""; // to upgrade to
    Function<Connection, Protocol> upgrade; // null for none; also of CONNECT

    /**
     * A body.
     *
     * @param bytes null unless it is all there
     * @param length -1 when it is not known
     * @param again whether it can be produced another time
     */
    record Content(
            byte[] bytes,
            long length,
            Supplier<BodySource> source,
            BodyWriter writer,
            boolean again) {}

    private ClientRequest(String method, HttpOrigin origin, String authority, String target) {
        this.method = method;
        this.origin = origin;
        this.authority = authority;
        this.target = target;
        this.idempotent = IDEMPOTENT.contains(method);
    }

    private ClientRequest(ClientRequest other, HttpOrigin origin, String target) {
        this.method = other.method;
        this.origin = origin;
        this.authority = other.authority;
        this.target = target;
        headers = other.headers;
        content = other.content;
        trailers = other.trailers;
        interim = other.interim;
        expects = other.expects;
        idempotent = other.idempotent;
        closes = other.closes;
        totalMillis = other.totalMillis;
        protocol = other.protocol;
        upgrade = other.upgrade;
    }

    private ClientRequest copy() {
        return new ClientRequest(this, origin, target);
    }

    /**
     * A request of any method but CONNECT; a fragment of the URL is left out (RFC 9110 4.2.5).
     *
     * @throws IllegalArgumentException when the URL is not of {@code http} or {@code https}, or
     *     carries user information, or the method is not a token
     */
    public static ClientRequest of(String method, URI uri) {
        if (method.equals("CONNECT")) {
            throw new IllegalArgumentException("Use ClientRequest.connect for a tunnel.");
        }
        checkToken("The method", method);
        HttpOrigin origin = HttpOrigin.of(uri);
        String path =
                uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        return new ClientRequest(method, origin, origin.authority(), checkTarget(path + query));
    }

    /**
     * A request of any method but CONNECT to an origin, for code that has a target and no URL.
     *
     * @throws IllegalArgumentException when the method is not a token, or the target is not one of
     *     RFC 9112 3.2
     */
    public static ClientRequest of(String method, HttpOrigin origin, String target) {
        if (method.equals("CONNECT")) {
            throw new IllegalArgumentException("Use ClientRequest.connect for a tunnel.");
        }
        if (!IDEMPOTENT.contains(method)) { // whose names are tokens
            checkToken("The method", method);
        }
        return new ClientRequest(method, origin, origin.authority(), checkTarget(target));
    }

    /** A request of any method but CONNECT. */
    public static ClientRequest of(String method, String url) {
        return of(method, URI.create(url));
    }

    /** A GET request. */
    public static ClientRequest get(String url) {
        return of("GET", url);
    }

    /** A POST request, to which a body is added. */
    public static ClientRequest post(String url) {
        return of("POST", url);
    }

    /** A PUT request, to which a body is added. */
    public static ClientRequest put(String url) {
        return of("PUT", url);
    }

    /** A DELETE request. */
    public static ClientRequest delete(String url) {
        return of("DELETE", url);
    }

    /**
     * A tunnel to {@code host:port} through {@code proxy} (RFC 9110 9.3.6). When the proxy responds
     * with 2xx the connection is handed over as by {@link #upgrade}; else its response is like any
     * other.
     */
    public static ClientRequest connect(
            HttpOrigin proxy, String hostAndPort, Function<Connection, Protocol> protocol) {
        var request = new ClientRequest("CONNECT", proxy, hostAndPort, checkTarget(hostAndPort));
        request.upgrade = Objects.requireNonNull(protocol, "protocol");
        return request;
    }

    /**
     * Connects to {@code origin} whatever the URL says: to a Unix-domain socket, or to a proxy.
     * Host stays that of the URL.
     */
    public ClientRequest via(HttpOrigin origin) {
        return new ClientRequest(this, Objects.requireNonNull(origin, "origin"), target);
    }

    /**
     * Sends another target than the path and the query of the URL: {@code *} for OPTIONS, the whole
     * URL for a proxy (RFC 9112 3.2), or a path in the very spelling in which it was received.
     */
    public ClientRequest target(String target) {
        return new ClientRequest(this, origin, checkTarget(target));
    }

    /**
     * Adds a header.
     *
     * @throws IllegalArgumentException when it is malformed, or one that the client writes itself
     */
    public ClientRequest header(String name, String value) {
        refuseOurs(name);
        ClientRequest copy = copy();
        copy.headers = headers.with(name, value);
        return copy;
    }

    /** Adds headers: {@link #header} of each. */
    public ClientRequest headers(Headers more) {
        more.forEach((name, value) -> refuseOurs(name));
        ClientRequest copy = copy();
        copy.headers = headers.with(more);
        return copy;
    }

    /** A body of bytes, which must not change until the response is there. */
    public ClientRequest body(byte[] bytes) {
        return content(new Content(bytes, bytes.length, null, null, true));
    }

    /** A body of text in UTF-8; its type is the caller's to set. */
    public ClientRequest body(String text) {
        return body(text.getBytes(UTF_8));
    }

    /** A body in chunks, asked for when the server has taken what came before. */
    public ClientRequest body(BodySource source) {
        return body(-1, source);
    }

    /** The same with a length that is announced; -1 when it is not known. */
    public ClientRequest body(long length, BodySource source) {
        Objects.requireNonNull(source, "source");
        return content(new Content(null, atLeast(length), () -> source, null, false));
    }

    /**
     * A body that can be produced again, for a request that may have to be sent again: {@code
     * source} is called for each time, on the loop.
     */
    public ClientRequest bodyAgain(long length, Supplier<BodySource> source) {
        Objects.requireNonNull(source, "source");
        return content(new Content(null, atLeast(length), source, null, true));
    }

    /**
     * A body that is written to a stream, on a virtual thread of its own. A write blocks while the
     * server is slower, and fails when the request is over.
     */
    public ClientRequest body(BodyWriter writer) {
        return body(-1, writer);
    }

    /** The same with a length that is announced; -1 when it is not known. */
    public ClientRequest body(long length, BodyWriter writer) {
        Objects.requireNonNull(writer, "writer");
        return content(new Content(null, atLeast(length), null, writer, false));
    }

    private ClientRequest content(Content content) {
        ClientRequest copy = copy();
        copy.content = content;
        return copy;
    }

    /**
     * Trailers behind the body (RFC 9110 6.5), which is sent in chunks then; {@code trailers} is
     * called on the loop behind its last byte.
     */
    public ClientRequest trailers(Supplier<Headers> trailers) {
        ClientRequest copy = copy();
        copy.trailers = Objects.requireNonNull(trailers, "trailers");
        return copy;
    }

    /**
     * Sends {@code Expect: 100-continue}, and the body when the server asks for it (RFC 9110
     * 10.1.1), or after {@link HttpClientSettings#continueTimeout}. A server that refuses the
     * request is sent no body. Means nothing without a body.
     */
    public ClientRequest expectContinue() {
        ClientRequest copy = copy();
        copy.expects = true;
        return copy;
    }

    /** Passes interim (1xx) responses on. */
    public ClientRequest onInterim(InterimListener listener) {
        ClientRequest copy = copy();
        copy.interim = Objects.requireNonNull(listener, "listener");
        return copy;
    }

    /**
     * Declares that it does no harm to send it twice, as of a POST with a key: on a reused
     * connection that turns out to be closed it is sent once more. So are GET, HEAD, OPTIONS,
     * TRACE, PUT, DELETE and QUERY unless their body cannot be produced again.
     */
    public ClientRequest idempotent() {
        ClientRequest copy = copy();
        copy.idempotent = true;
        return copy;
    }

    /** Has the connection closed behind the response: {@code Connection: close}. */
    public ClientRequest closeConnection() {
        ClientRequest copy = copy();
        copy.closes = true;
        return copy;
    }

    /** How long the exchange may take as a whole, instead of the client's default. */
    public ClientRequest timeout(Duration total) {
        if (total.toMillis() < 1) {
            throw new IllegalArgumentException("timeout must be 1 ms or more, not " + total + ".");
        }
        ClientRequest copy = copy();
        copy.totalMillis = total.toMillis();
        return copy;
    }

    /**
     * Asks for another protocol on the connection (RFC 9110 7.8). When the server responds with
     * 101, {@code next} is called on the loop with the connection, and what it returns is given all
     * that follows, beginning with what was received already. The connection is the caller's from
     * then on. Another response is like any other.
     */
    public ClientRequest upgrade(String protocol, Function<Connection, Protocol> next) {
        checkToken("The protocol", protocol.replace('/', '-'));
        ClientRequest copy = copy();
        copy.protocol = protocol;
        copy.upgrade = Objects.requireNonNull(next, "next");
        return copy;
    }

    /** The method. */
    public String method() {
        return method;
    }

    /** The origin that it is sent to. */
    public HttpOrigin origin() {
        return origin;
    }

    /** The request target (RFC 9112 3.2). */
    public String target() {
        return target;
    }

    /** The headers that were added. */
    public Headers headers() {
        return headers;
    }

    /** The length of the body: 0 without one, empty when it is not known. */
    public Optional<Long> length() {
        return content.length < 0 ? Optional.empty() : Optional.of(content.length);
    }

    /** Whether it may be sent again when nothing says that the server has seen it. */
    boolean mayBeSentAgain() {
        return idempotent && content.again;
    }

    boolean hasBody() {
        return content != NOTHING;
    }

    /** The method and the URL, for messages. */
    @Override
    public String toString() {
        String where = target.startsWith("/") ? target : " " + target;
        return method + " " + origin + where;
    }

    static void refuseOurs(String name) {
        if (!name.isEmpty()
                && "cehkptuCEHKPTU".indexOf(name.charAt(0)) >= 0 // most names begin otherwise
                && OURS.contains(name.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException(
                    name
                            + " is written by the client itself: use body, expectContinue, upgrade"
                            + " or closeConnection.");
        }
    }

    private static long atLeast(long length) {
        if (length < -1) {
            throw new IllegalArgumentException("A body cannot have " + length + " bytes.");
        }
        return length;
    }

    private static void checkToken(String what, String text) {
        try {
            Headers.of(text, "");
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(what + " '" + text + "' is not a token.", e);
        }
    }

    /** Visible ASCII: nothing that ends the target, or the line (RFC 9112 3.2). */
    private static String checkTarget(String target) {
        if (target.isEmpty() || !target.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '#')) {
            throw new IllegalArgumentException(
                    "'" + target + "' is not a request target: percent-encode it (RFC 9112 3.2).");
        }
        return target;
    }
}

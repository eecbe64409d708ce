// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.BodySource;
import io.sirocco.http.BodyWriter;
import io.sirocco.http.HeaderNames;
import io.sirocco.http.Headers;
import io.sirocco.http.HostAndPort;
import io.sirocco.net.Connection;
import io.sirocco.net.Protocol;
import io.sirocco.net.limit.Timeouts;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A request for an {@link HttpClient}: method, URL, headers and body. The body consists of bytes,
 * comes from a {@link BodySource}, or is written to a stream. Each method returns a changed copy.
 *
 * <pre>{@code
 * ClientRequest.post("http://localhost:8080/orders")
 *     .header("Content-Type", "application/json")
 *     .body("{\"number\": 7}")
 * }</pre>
 *
 * <p>The client writes {@code Content-Length}, {@code Transfer-Encoding}, {@code Connection},
 * {@code Upgrade} and {@code Expect} itself, and {@code Host} unless it is set. A request whose
 * body can be produced only once can be sent only once. Immutable.
 */
public final class ClientRequest {
    private static final HeaderNames OURS =
            HeaderNames.of(
                    "Connection",
                    "Content-Length",
                    "Expect",
                    "HTTP2-Settings",
                    "Keep-Alive",
                    "Proxy-Connection",
                    "Transfer-Encoding",
                    "Upgrade");

    /** RFC 9110 9.2.2. */
    private static final Set<String> IDEMPOTENT =
            Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY");

    private static final Content NOTHING = new Content(new byte[0], 0, null, null, true);

    final String method;
    final HttpOrigin origin;
    final String authority;
    final String target;
    String host = ""; // to send; that of the headers, or the authority, if it is empty
    Headers headers = Headers.none();
    Content content = NOTHING;
    Supplier<Headers> trailers; // null for none
    InterimListener interim = (status, fields) -> {};
    boolean expects;
    boolean idempotent;
    boolean closes;
    long totalMillis; // 0 for the client's
    byte[] proxyHeader; // of its connection; null for none
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
        host = other.host;
        headers = other.headers;
        content = other.content;
        trailers = other.trailers;
        interim = other.interim;
        expects = other.expects;
        idempotent = other.idempotent;
        closes = other.closes;
        totalMillis = other.totalMillis;
        proxyHeader = other.proxyHeader;
        protocol = other.protocol;
        upgrade = other.upgrade;
    }

    private ClientRequest copy() {
        return new ClientRequest(this, origin, target);
    }

    /**
     * Creates a request with any method except CONNECT. A fragment of the URL is not sent (RFC 9110
     * 4.2.5).
     *
     * @throws IllegalArgumentException if the scheme is neither {@code http} nor {@code https}, if
     *     the URL contains user information, or if the method is not a token
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
     * Creates a request with any method except CONNECT to an origin, for code that has a target and
     * no URL.
     *
     * @throws IllegalArgumentException if the method is not a token, or the target is not one of
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

    /** Creates a request with any method except CONNECT. See {@link #of(String, URI)}. */
    public static ClientRequest of(String method, String url) {
        return of(method, HostAndPort.parseUri(url));
    }

    /** Creates a GET request. */
    public static ClientRequest get(String url) {
        return of("GET", url);
    }

    /** Creates a POST request. Add a body. */
    public static ClientRequest post(String url) {
        return of("POST", url);
    }

    /** Creates a PUT request. Add a body. */
    public static ClientRequest put(String url) {
        return of("PUT", url);
    }

    /** Creates a DELETE request. */
    public static ClientRequest delete(String url) {
        return of("DELETE", url);
    }

    /**
     * Creates a CONNECT request, which opens a tunnel through a proxy (RFC 9110 9.3.6). When the
     * proxy responds with 2xx, {@code protocol} receives the connection, as with {@link #upgrade}.
     * Any other response is an ordinary response.
     *
     * @param hostAndPort the end of the tunnel, such as {@code example.org:443}
     */
    public static ClientRequest connect(
            HttpOrigin proxy, String hostAndPort, Function<Connection, Protocol> protocol) {
        var request = new ClientRequest("CONNECT", proxy, hostAndPort, checkTarget(hostAndPort));
        request.upgrade = Objects.requireNonNull(protocol, "protocol");
        return request;
    }

    /**
     * Connects to {@code origin} instead of the host of the URL, for example to a Unix-domain
     * socket or a proxy. {@code Host} remains that of the URL.
     *
     * @throws IllegalArgumentException if the origin is {@code https} and the request has a {@link
     *     #proxyHeader}
     */
    public ClientRequest via(HttpOrigin origin) {
        if (proxyHeader != null) {
            checkPlain(origin);
        }
        return new ClientRequest(this, Objects.requireNonNull(origin, "origin"), target);
    }

    /**
     * Sets the request target, instead of the path and query of the URL: {@code *} for OPTIONS, the
     * whole URL for a proxy (RFC 9112 3.2), or a path that must be sent exactly as it was received.
     *
     * @throws IllegalArgumentException if it is empty or contains other characters than visible
     *     ASCII
     */
    public ClientRequest target(String target) {
        return new ClientRequest(this, origin, checkTarget(target));
    }

    /**
     * Adds a header.
     *
     * @throws IllegalArgumentException if it is malformed, or if the client writes this header
     *     itself
     */
    public ClientRequest header(String name, String value) {
        refuseOurs(name);
        ClientRequest copy = copy();
        copy.headers = headers.with(name, value);
        return copy;
    }

    /**
     * Sends this {@code Host}, in the place of one of the headers and of the authority of the URL.
     *
     * @throws IllegalArgumentException if it is empty or malformed
     */
    public ClientRequest host(String host) {
        if (!isVisible(host)) {
            throw new IllegalArgumentException("'" + host + "' cannot be sent as the Host.");
        }
        ClientRequest copy = copy();
        copy.host = host;
        return copy;
    }

    /**
     * Adds headers.
     *
     * @throws IllegalArgumentException if the client writes one of them itself
     */
    public ClientRequest headers(Headers more) {
        int ours = OURS.first(more);
        if (ours >= 0) {
            throw written(more.name(ours));
        }
        ClientRequest copy = copy();
        copy.headers = headers.with(more);
        return copy;
    }

    /** Sets a body of bytes. Do not change the array until the request is complete. */
    public ClientRequest body(byte[] bytes) {
        return content(new Content(bytes, bytes.length, null, null, true));
    }

    /** Sets a body of text in UTF-8. Does not set {@code Content-Type}. */
    public ClientRequest body(String text) {
        return body(text.getBytes(UTF_8));
    }

    /**
     * Sets a body whose segments are requested when the server can take more. It is sent in chunks.
     */
    public ClientRequest body(BodySource source) {
        return body(-1, source);
    }

    /**
     * Sets a body whose segments are requested when the server can take more.
     *
     * @param length the length in bytes, which is announced, or -1 if it is unknown
     */
    public ClientRequest body(long length, BodySource source) {
        Objects.requireNonNull(source, "source");
        return content(new Content(null, atLeast(length), () -> source, null, false));
    }

    /**
     * Sets a body that can be produced again, so that the client may repeat the request. {@code
     * source} is called on the loop each time the request is sent.
     *
     * @param length the length in bytes, or -1 if it is unknown
     */
    public ClientRequest bodyAgain(long length, Supplier<BodySource> source) {
        Objects.requireNonNull(source, "source");
        return content(new Content(null, atLeast(length), source, null, true));
    }

    /**
     * Sets a body that {@code writer} writes to a stream, on a virtual thread of its own. A write
     * blocks while the server is slower, and fails when the request is over.
     */
    public ClientRequest body(BodyWriter writer) {
        return body(-1, writer);
    }

    /**
     * Sets a body that {@code writer} writes to a stream, on a virtual thread of its own.
     *
     * @param length the length in bytes, which is announced, or -1 if it is unknown
     */
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
     * Adds trailers after the body, which is then sent in chunks (RFC 9110 6.5). {@code trailers}
     * is called on the loop after the last byte of the body.
     */
    public ClientRequest trailers(Supplier<Headers> trailers) {
        ClientRequest copy = copy();
        copy.trailers = Objects.requireNonNull(trailers, "trailers");
        return copy;
    }

    /**
     * Sends {@code Expect: 100-continue}, and the body when the server asks for it or {@link
     * HttpClientSettings#continueTimeout} has passed (RFC 9110 10.1.1). If the server refuses the
     * request, the body is not sent. Has no effect without a body.
     */
    public ClientRequest expectContinue() {
        ClientRequest copy = copy();
        copy.expects = true;
        return copy;
    }

    /** Passes interim (1xx) responses to {@code listener}. */
    public ClientRequest onInterim(InterimListener listener) {
        ClientRequest copy = copy();
        copy.interim = Objects.requireNonNull(listener, "listener");
        return copy;
    }

    /**
     * Declares that the request may be sent twice, such as a POST with an idempotency key. The
     * client then repeats it once if a reused connection is closed before any byte of a response.
     * GET, HEAD, OPTIONS, TRACE, PUT, DELETE and QUERY are idempotent without this call. A request
     * whose body cannot be produced again is never repeated.
     */
    public ClientRequest idempotent() {
        ClientRequest copy = copy();
        copy.idempotent = true;
        return copy;
    }

    /** Closes the connection after the response, by {@code Connection: close}. */
    public ClientRequest closeConnection() {
        ClientRequest copy = copy();
        copy.closes = true;
        return copy;
    }

    /**
     * Sets the time from the call to the last byte of the response, instead of {@link
     * HttpClientSettings#totalTimeout}.
     *
     * @throws IllegalArgumentException if it is less than 1 ms
     */
    public ClientRequest timeout(Duration total) {
        ClientRequest copy = copy();
        copy.totalMillis = Timeouts.positive("timeout", total).toMillis();
        return copy;
    }

    /**
     * Sends a header of the PROXY protocol before the first request of its connection, as {@link
     * io.sirocco.net.ProxyProtocol} makes it. A connection is reused only for requests with the
     * same header; an idle one with another header is closed if the limit of connections is
     * reached.
     *
     * @throws IllegalArgumentException if the origin is {@code https}, where this is not
     *     implemented
     */
    public ClientRequest proxyHeader(byte[] header) {
        checkPlain(origin);
        ClientRequest copy = copy();
        copy.proxyHeader = header.clone();
        return copy;
    }

    private static void checkPlain(HttpOrigin origin) {
        if (origin.secure()) {
            throw new IllegalArgumentException("A PROXY header is not sent to " + origin + ".");
        }
    }

    /**
     * Requests an upgrade to another protocol (RFC 9110 7.8). When the server responds with 101,
     * {@code next} is called on the loop with the connection, and the protocol that it returns
     * receives all bytes after the response. The client no longer uses the connection. Any other
     * response is an ordinary response.
     *
     * @param protocol the value of {@code Upgrade}
     */
    public ClientRequest upgrade(String protocol, Function<Connection, Protocol> next) {
        checkToken("The protocol", protocol.replace('/', '-'));
        ClientRequest copy = copy();
        copy.protocol = protocol;
        copy.upgrade = Objects.requireNonNull(next, "next");
        return copy;
    }

    /** Returns the method. */
    public String method() {
        return method;
    }

    /** Returns the origin that the client connects to. */
    public HttpOrigin origin() {
        return origin;
    }

    /** Returns the request target (RFC 9112 3.2). */
    public String target() {
        return target;
    }

    /** Returns the headers that were added. */
    public Headers headers() {
        return headers;
    }

    /** Returns the length of the body in bytes: 0 without a body, empty if it is unknown. */
    public Optional<Long> length() {
        return content.length < 0 ? Optional.empty() : Optional.of(content.length);
    }

    /** Returns whether the client may repeat it if the server may not have seen it. */
    boolean mayBeSentAgain() {
        return idempotent && content.again;
    }

    boolean hasBody() {
        return content != NOTHING;
    }

    /** Returns the method and the URL, for messages. */
    @Override
    public String toString() {
        return method + " " + origin.with(target.startsWith("/") ? target : " " + target);
    }

    static void refuseOurs(String name) {
        if (OURS.contains(name)) {
            throw written(name);
        }
    }

    private static IllegalArgumentException written(String name) {
        return new IllegalArgumentException(
                name
                        + " is written by the client itself: use body, expectContinue, upgrade"
                        + " or closeConnection.");
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
        if (!isVisible(target) || target.indexOf('#') >= 0) {
            throw new IllegalArgumentException(
                    "'" + target + "' is not a request target: percent-encode it (RFC 9112 3.2).");
        }
        return target;
    }

    /** Returns whether a text consists of visible ASCII characters, and is not empty. */
    private static boolean isVisible(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c >= 0x7f) {
                return false;
            }
        }
        return !text.isEmpty();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.exchange.RequestMessage;
import io.sirocco.net.Loop;
import io.sirocco.net.TlsSession;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * A request: a view of the received bytes that is parsed lazily.
 *
 * <pre>{@code
 * String id = request.param("id");                       // of the path
 * String sort = request.query().first("sort", "name");   // of the query
 * Optional<String> agent = request.header("User-Agent");
 * byte[] body = request.body().bytes();
 * }</pre>
 *
 * <p>A request is valid until its response is complete; methods that read the headers then throw
 * {@link IllegalStateException}. Code that continues afterwards must copy the values that it needs.
 * {@link #method} and {@link #path} are exactly as the client sent them. Names of headers are
 * case-insensitive.
 *
 * <p>Used by one thread at a time, unless a method says otherwise.
 */
public sealed interface Request permits RequestMessage {
    /**
     * The name of the attribute in which a filter that authenticates clients stores the user's
     * name, a string. The access log prints it.
     */
    String USER = "io.sirocco.user";

    /** Returns the method as sent. Methods are case-sensitive (RFC 9110 9.1). */
    String method();

    /** Returns the path as sent: not decoded, not normalised, without the query. */
    String path();

    /**
     * Returns the path and the query as sent, with a slash at the beginning. Of the absolute form
     * ({@code GET http://host/path}, RFC 9112 3.2.2) this is the part behind the host, which {@link
     * #host} returns. {@code OPTIONS *} has {@code *}, and {@code CONNECT} the host and the port.
     */
    String target();

    /** Returns the version of HTTP: {@code HTTP/1.0} or {@code HTTP/1.1}. */
    String version();

    /**
     * Returns the requested host without the port; empty if an HTTP/1.0 request has none. This is
     * the host that the client sent to a {@linkplain Config#trustedProxies trusted proxy}, if the
     * proxy forwards it.
     */
    String host();

    /**
     * Returns the requested host with the port, if the client sent one: {@code example.org:8080}.
     * See {@link #host}.
     */
    String authority();

    /**
     * Returns a path parameter, percent-decoded. {@code *} is the name of the wildcard.
     *
     * @throws IllegalArgumentException if the route has no such parameter
     */
    String param(String name);

    /**
     * Returns the query parameters; empty if there is no query. Reading them throws {@link
     * BadRequest} if there are more than {@link Params#LIMIT}.
     */
    Params query();

    /** Returns the first value of a query parameter. */
    default Optional<String> query(String name) {
        return query().first(name);
    }

    /** Returns the first value of a header. */
    Optional<String> header(String name);

    /**
     * Returns all values of a header in order, joined by commas (RFC 9110 5.3). For headers that
     * are lists, such as {@code Accept} and {@code If-None-Match}.
     */
    Optional<String> headerList(String name);

    /** Returns a copy of the headers, in the order received. It stays valid after the request. */
    Headers headers();

    /** Calls {@code action} for the name and value of each header, in order. */
    void headers(BiConsumer<String, String> action);

    /** Returns the media type of the body, if it is present and well-formed. */
    default Optional<MediaType> contentType() {
        return header("Content-Type").flatMap(MediaType::parse);
    }

    /** Returns the value of a cookie, not decoded (RFC 6265 5.4). */
    Optional<String> cookie(String name);

    /** Returns the body, which is empty if the client sent none. */
    Body body();

    /**
     * Reads the body as a form, {@code application/x-www-form-urlencoded}. Returns empty parameters
     * if the body has another type. Reading the parameters throws {@link BadRequest} if the form is
     * malformed or has more than {@link Params#LIMIT} of them.
     *
     * @throws BadRequest if the body is larger than {@link Body#IN_MEMORY} (413), or the charset of
     *     the type is not UTF-8 (415)
     * @throws IOException if the body does not arrive
     */
    Params form() throws IOException;

    /**
     * Returns the parts of a {@code multipart/form-data} body, which are read as they arrive.
     *
     * @throws BadRequest if the body has another type (415) or no valid boundary (400)
     */
    default Multipart multipart() {
        MediaType type =
                contentType()
                        .filter(t -> t.is("multipart/form-data"))
                        .orElseThrow(
                                () -> new BadRequest(415, "The body must be multipart/form-data."));
        return Multipart.of(body().inputStream(), type);
    }

    /**
     * Returns the address of the client: that of the peer, or the one forwarded by a {@linkplain
     * Config#trustedProxies trusted proxy}. Access rules and rate limits use it.
     */
    SocketAddress remoteAddress();

    /** Returns the address of the connection's peer, which is a proxy if there is one. */
    SocketAddress peerAddress();

    /** Returns the local address of the connection. */
    SocketAddress localAddress();

    /**
     * Returns whether the client sent the request over TLS, to this server or to a {@linkplain
     * Config#trustedProxies trusted proxy} that says so.
     */
    boolean isSecure();

    /**
     * Returns the headers in which a {@linkplain Config#trustedProxies trusted proxy} has forwarded
     * the client's address, scheme and host; empty if the peer is not a trusted proxy. All other
     * headers that claim such facts come from the client.
     */
    Set<TrustedProxies.Field> trustedHeaders();

    /** Returns {@code https} if {@link #isSecure}, else {@code http}. */
    default String scheme() {
        return isSecure() ? "https" : "http";
    }

    /**
     * Returns the TLS session of the connection, for example to read the client's certificate;
     * empty without TLS.
     */
    Optional<TlsSession> tls();

    /** Returns the event loop of the connection, to run tasks there. Any thread. */
    Loop loop();

    /** Returns the id of this request for logs, unique in this process. */
    String id();

    /**
     * Sends an interim response (RFC 9110 15.2) before the final response. 103 (Early Hints, RFC
     * 8297) lets a browser fetch resources while the handler is still working. Does nothing if the
     * client speaks HTTP/1.0, if the response has begun, or while the client does not read.
     *
     * @param status 102 to 199
     * @throws IllegalArgumentException if the status is not between 102 and 199
     */
    void interim(int status, Headers headers);

    /**
     * Sends the response now, while the handler runs: for adapters of interfaces whose handlers
     * write to the client before they return. The handler counts as a request in progress until it
     * returns, without the handler timeout. What it returns, or throws, is dropped; its adapter
     * makes the source fail where that leaves the body incomplete. Filters do not see this
     * response. Does nothing if a response has begun. Any thread.
     *
     * @param response whose body is produced without a thread, such as {@link
     *     Response#stream(BodySource)}
     * @throws IllegalArgumentException if the response has another body
     */
    void beginResponse(Response response);

    /**
     * Returns whether the client is connected, as far as the server knows: whether its connection
     * has not been closed. A connection that the server ends behind the response, as it does with
     * {@code Connection: close}, closes when that has been sent, later than {@link #onComplete}.
     * Any thread.
     */
    boolean isConnected();

    /**
     * Runs {@code action} when the client disconnects before its response is complete, to cancel
     * work for {@linkplain Response#async asynchronous responses} for example. It runs once, on a
     * virtual thread of {@link #loop}, where it may wait but not block without parking. Actions of
     * other requests, and of this one, begin in order and do not wait for it; when 1,024 actions
     * wait, the loop waits, too. If the client has already disconnected, it runs soon. It does not
     * run after all of the response was written, or most of a long one was sent.
     *
     * <p>A client that closes only its sending side counts as disconnected, too, since hardly any
     * client that does so still reads (RFC 9112 9.6). The response is sent nevertheless. Any
     * thread.
     */
    void onDisconnect(Runnable action);

    /**
     * Runs {@code action} when the request is over: its response is written or given up, or the
     * connection was upgraded. It runs once, as that of {@link #onDisconnect} does, whatever the
     * response was; to release what a response holds that a filter may have replaced, for example.
     * If the request is already over, it runs soon. Any thread.
     */
    void onComplete(Runnable action);

    /**
     * Has later filters and the handler see only these content codings in {@code Accept-Encoding}
     * (RFC 9110 12.5.3), for a filter that reads the body of the response.
     *
     * @param codings in lower case, such as {@code gzip}; none: the body is not to be compressed
     */
    void limitCodings(Set<String> codings);

    /** Returns the value of an attribute, as stored by a filter. */
    Optional<Object> attribute(String name);

    /** Stores a value for later filters and the handler. */
    void attribute(String name, Object value);

    /**
     * Returns the error pages of the server ({@link Config#errorPages}), for a handler or filter
     * that responds with an error itself. They may be used after the request. A page that fails, or
     * is not made of bytes, is replaced by one line of plain text. Any thread.
     */
    ErrorPages errorPages();

    /**
     * Creates the response of a handler for {@linkplain Routes#any any method} to one that it does
     * not serve: 405 from the error pages, or 204 for {@code OPTIONS}. {@code Allow} has {@code
     * served}, {@code OPTIONS} and the methods of the other routes of this path (RFC 9110 10.2.1).
     *
     * @param served such as {@code GET} and {@code HEAD}
     */
    Response methodNotAllowed(String... served);

    /**
     * Sets the name of the access rule by which a filter refuses this request, such as {@code
     * "deny"}. The access log prints it; monitors read it from {@link
     * Monitor.CompletedRequest#rejectedBy}.
     */
    void rejectedBy(String rule);
}

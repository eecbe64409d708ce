// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.message.Cookies;
import io.sirocco.http.message.RequestHead;
import io.sirocco.http.route.PathParams;
import io.sirocco.net.Loop;
import io.sirocco.net.TlsSession;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
 * {@link #method}, {@link #path} and {@link #target} are exactly as the client sent them. Names of
 * headers are case-insensitive.
 *
 * <p>Used by one thread at a time, unless a method says otherwise.
 */
public final class Request {
    /**
     * The name of the attribute in which a filter that authenticates clients stores the user's
     * name, a string. The access log prints it.
     */
    public static final String USER = "io.sirocco.user";

    final Exchange exchange;
    private final PathParams params;
    private RequestHead head;
    private boolean detached;
    private Body body;
    private Params query;
    private Params form;
    private Map<String, String> cookies;
    private Map<String, Object> attributes;
    private String rejectedBy; // null when no filter refuses it

    Request(Exchange exchange, RequestHead head, PathParams params) {
        this.exchange = exchange;
        this.head = head;
        this.params = params;
    }

    private RequestHead head() {
        if (head == null) {
            throw new IllegalStateException(
                    "The request is complete: copy what you need before its response.");
        }
        return head;
    }

    /** Copies the head, because its bytes are about to be overwritten. */
    void detach() {
        if (head != null && !detached) {
            head = head.detach();
            detached = true;
        }
    }

    /** Returns the number of bytes of the copy. */
    int stored() {
        return head != null && detached ? head.end() : 0;
    }

    void over() {
        head = null;
    }

    /** Returns whether the head is a copy. */
    boolean detached() {
        return detached;
    }

    /** Returns the head, or null when the request is complete. */
    RequestHead peek() {
        return head;
    }

    /** Returns the method as sent. Methods are case-sensitive (RFC 9110 9.1). */
    public String method() {
        return head().method();
    }

    /** Returns the path as sent: not decoded, not normalised, without the query. */
    public String path() {
        return head().path();
    }

    /** Returns the request target as sent, usually the path and the query. */
    public String target() {
        return head().target();
    }

    /** Returns the version of HTTP: {@code HTTP/1.0} or {@code HTTP/1.1}. */
    public String version() {
        return head().version();
    }

    /**
     * Returns the requested host without the port; empty if an HTTP/1.0 request has none. This is
     * the host that the client sent to a {@linkplain Config#trustedProxies trusted proxy}, if the
     * proxy forwards it.
     */
    public String host() {
        RequestHead all = head();
        Forwarded forwarded = exchange.forwarded;
        if (forwarded != null && !forwarded.authority().isEmpty()) {
            return forwarded.host();
        }
        return all.hasHost() ? all.host() : "";
    }

    /**
     * Returns the requested host with the port, if the client sent one: {@code example.org:8080}.
     * See {@link #host}.
     */
    public String authority() {
        RequestHead all = head();
        Forwarded forwarded = exchange.forwarded;
        if (forwarded != null && !forwarded.authority().isEmpty()) {
            return forwarded.authority();
        }
        return host() + (all.hasHost() && all.port() >= 0 ? ":" + all.port() : "");
    }

    /**
     * Returns a path parameter, percent-decoded. {@code *} is the name of the wildcard.
     *
     * @throws IllegalArgumentException if the route has no such parameter
     */
    public String param(String name) {
        return params.get(name);
    }

    /**
     * Returns the query parameters; empty if there is no query. Reading them throws {@link
     * BadRequest} if there are more than {@link Params#LIMIT}.
     */
    public Params query() {
        if (query == null) {
            query = head().hasQuery() ? Params.of(head().query()) : Params.empty();
        }
        return query;
    }

    /** Returns the first value of a query parameter. */
    public Optional<String> query(String name) {
        return query().first(name);
    }

    /** Returns the first value of a header. */
    public Optional<String> header(String name) {
        int i = head().find(name);
        return i < 0 ? Optional.empty() : Optional.of(head().value(i));
    }

    /**
     * Returns all values of a header in order, joined by commas (RFC 9110 5.3). For headers that
     * are lists, such as {@code Accept} and {@code If-None-Match}.
     */
    public Optional<String> headerList(String name) {
        RequestHead all = head();
        int first = all.find(name);
        if (first < 0) {
            return Optional.empty();
        }
        int next = all.find(name, first + 1);
        if (next < 0) {
            return Optional.of(all.value(first));
        }
        var list = new StringBuilder(all.value(first));
        for (int i = next; i >= 0; i = all.find(name, i + 1)) {
            list.append(", ").append(all.value(i));
        }
        return Optional.of(list.toString());
    }

    /** Calls {@code action} for the name and value of each header, in order. */
    public void headers(BiConsumer<String, String> action) {
        RequestHead all = head();
        for (int i = 0; i < all.count(); i++) {
            action.accept(all.name(i), all.value(i));
        }
    }

    /** Returns the media type of the body, if it is present and well-formed. */
    public Optional<MediaType> contentType() {
        return header("Content-Type").flatMap(MediaType::parse);
    }

    /** Returns the value of a cookie, not decoded (RFC 6265 5.4). */
    public Optional<String> cookie(String name) {
        if (cookies == null) {
            cookies = header("Cookie").map(Cookies::parse).orElse(Map.of());
        }
        return Optional.ofNullable(cookies.get(name));
    }

    /** Returns the body, which is empty if the client sent none. */
    public Body body() {
        if (body == null) {
            body = new Body(exchange, this);
        }
        return body;
    }

    /**
     * Reads the body as a form, {@code application/x-www-form-urlencoded}. Returns empty parameters
     * if the body has another type. Reading the parameters throws {@link BadRequest} if the form is
     * malformed or has more than {@link Params#LIMIT} of them.
     *
     * @throws BadRequest if the body is larger than {@link Body#IN_MEMORY} (413)
     * @throws IOException if the body does not arrive
     */
    public Params form() throws IOException {
        if (form == null) {
            boolean isForm =
                    contentType()
                            .filter(type -> type.is("application/x-www-form-urlencoded"))
                            .isPresent();
            form = isForm ? Params.of(body().text()) : Params.empty();
        }
        return form;
    }

    /**
     * Returns the parts of a {@code multipart/form-data} body, which are read as they arrive.
     *
     * @throws BadRequest if the body has another type (415) or no valid boundary (400)
     */
    public Multipart multipart() {
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
    public SocketAddress remoteAddress() {
        return exchange.remote();
    }

    /** Returns the address of the connection's peer, which is a proxy if there is one. */
    public SocketAddress peerAddress() {
        return exchange.peer();
    }

    /** Returns the local address of the connection. */
    public SocketAddress localAddress() {
        return exchange.local();
    }

    /**
     * Returns whether the client sent the request over TLS, to this server or to a {@linkplain
     * Config#trustedProxies trusted proxy} that says so.
     */
    public boolean isSecure() {
        return exchange.secure();
    }

    /** Returns {@code https} if {@link #isSecure}, else {@code http}. */
    public String scheme() {
        return isSecure() ? "https" : "http";
    }

    /**
     * Returns the TLS session of the connection, for example to read the client's certificate;
     * empty without TLS.
     */
    public Optional<TlsSession> tls() {
        return exchange.tls();
    }

    /** Returns the event loop of the connection, to run tasks there. Any thread. */
    public Loop loop() {
        return exchange.loop();
    }

    /** Returns the id of this request for logs, unique in this process. */
    public String id() {
        return exchange.id();
    }

    /**
     * Sends an interim response (RFC 9110 15.2) before the final response. 103 (Early Hints, RFC
     * 8297) lets a browser fetch resources while the handler is still working. Does nothing if the
     * client speaks HTTP/1.0, if the response has begun, or while the client does not read.
     *
     * @param status 102 to 199
     * @throws IllegalArgumentException if the status is not between 102 and 199
     */
    public void interim(int status, Headers headers) {
        if (status < 102 || status > 199) {
            throw new IllegalArgumentException(
                    "The status of an interim response must be 102 to 199, not " + status + ".");
        }
        exchange.interim(status, headers);
    }

    /** Returns whether the client is connected, as far as the server knows. */
    public boolean isConnected() {
        return exchange.connected();
    }

    /**
     * Runs {@code action} when the client disconnects before its response is complete, to cancel
     * work for {@linkplain Response#async asynchronous responses} for example. It runs once, on
     * {@link #loop}, and must not block. If the client has already disconnected, it runs at once.
     * It does not run after all of the response was written, or most of a long one was sent.
     *
     * <p>A client that closes only its sending side counts as disconnected, too, since hardly any
     * client that does so still reads (RFC 9112 9.6). The response is sent nevertheless. Any
     * thread.
     */
    public void onDisconnect(Runnable action) {
        exchange.whenGone(action);
    }

    /** Returns the value of an attribute, as stored by a filter. */
    public Optional<Object> attribute(String name) {
        return attributes == null ? Optional.empty() : Optional.ofNullable(attributes.get(name));
    }

    /** Stores a value for later filters and the handler. */
    public void attribute(String name, Object value) {
        if (attributes == null) {
            attributes = new HashMap<>();
        }
        attributes.put(name, value);
    }

    /**
     * Sets the name of the access rule by which a filter refuses this request, such as {@code
     * "deny"}. The access log prints it; monitors read it from {@link
     * Monitor.CompletedRequest#rejectedBy}.
     */
    public void rejectedBy(String rule) {
        rejectedBy = Objects.requireNonNull(rule);
    }

    Optional<String> rejectedBy() {
        return Optional.ofNullable(rejectedBy);
    }
}

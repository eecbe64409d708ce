// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.h1.RequestHead;
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
 * A request: a view of the bytes that came in, read when asked. It ends with its response; what
 * shall outlive it is copied out by the methods here, all of which answer values. Used by one
 * thread at a time.
 */
public final class Request {
    /**
     * The attribute under which whoever has authenticated the client leaves its name: the access
     * log has a place for it.
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
                    "The request is over: take what you need of it before its response.");
        }
        return head;
    }

    /** The bytes will be overwritten: makes a copy of its own. */
    void detach() {
        if (head != null && !detached) {
            head = head.detach();
            detached = true;
        }
    }

    /** Bytes of its own copy. */
    int stored() {
        return head != null && detached ? head.end() : 0;
    }

    void over() {
        head = null;
    }

    /** Whether its head is a copy of its own. */
    boolean detached() {
        return detached;
    }

    /** The head, for as long as it is not over. */
    RequestHead peek() {
        return head;
    }

    /** The method, as sent: it is case-sensitive (RFC 9110 9.1). */
    public String method() {
        return head().method();
    }

    /** The path, as sent: not decoded, without the query. */
    public String path() {
        return head().path();
    }

    /** What the client asked for, as sent: mostly the path and the query. */
    public String target() {
        return head().target();
    }

    /** HTTP/1.0 or HTTP/1.1. */
    public String version() {
        return head().version();
    }

    /**
     * The host that was asked for, without the port; empty when HTTP/1.0 named none. Where a
     * trusted proxy says it, what the client asked the proxy for.
     */
    public String host() {
        RequestHead all = head();
        Forwarded forwarded = exchange.forwarded;
        if (forwarded != null && !forwarded.authority().isEmpty()) {
            return forwarded.host();
        }
        return all.hasHost() ? all.host() : "";
    }

    /** The same with the port, if the client named one: {@code example.org:8080}. */
    public String authority() {
        RequestHead all = head();
        Forwarded forwarded = exchange.forwarded;
        if (forwarded != null && !forwarded.authority().isEmpty()) {
            return forwarded.authority();
        }
        return host() + (all.hasHost() && all.port() >= 0 ? ":" + all.port() : "");
    }

    /**
     * A parameter of the path, decoded; {@code *} is what the wildcard took.
     *
     * @throws IllegalArgumentException when the route has no such parameter
     */
    public String param(String name) {
        return params.get(name);
    }

    /** The parameters of the query. */
    public Params query() {
        if (query == null) {
            query = head().hasQuery() ? Params.of(head().query()) : Params.empty();
        }
        return query;
    }

    /** The first parameter of this name in the query. */
    public Optional<String> query(String name) {
        return query().first(name);
    }

    /** The first header field of this name. */
    public Optional<String> header(String name) {
        int i = head().find(name);
        return i < 0 ? Optional.empty() : Optional.of(head().value(i));
    }

    /**
     * All header fields of this name as one list: their values in order, with commas between (RFC
     * 9110 5.3). For fields that are lists, such as {@code If-None-Match} and {@code Accept}.
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

    /** Names and values of all header fields, in their order. */
    public void headers(BiConsumer<String, String> action) {
        RequestHead all = head();
        for (int i = 0; i < all.count(); i++) {
            action.accept(all.name(i), all.value(i));
        }
    }

    /** The media type of the body, when one is stated and well-formed. */
    public Optional<MediaType> contentType() {
        return header("Content-Type").flatMap(MediaType::parse);
    }

    /** A cookie that the client sent. */
    public Optional<String> cookie(String name) {
        if (cookies == null) {
            cookies = header("Cookie").map(Cookies::parse).orElse(Map.of());
        }
        return Optional.ofNullable(cookies.get(name));
    }

    /** The body. */
    public Body body() {
        if (body == null) {
            body = new Body(exchange, this);
        }
        return body;
    }

    /**
     * The fields of a form in the body; empty when it is none.
     *
     * @throws BadRequest when it is malformed
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
     * The parts of a {@code multipart/form-data} body, as they come.
     *
     * @throws BadRequest when it is none
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
     * The client's address: the peer's, or what a trusted proxy says ({@link
     * Config#trustedProxies}). Limits and rules by address go by it.
     */
    public SocketAddress remoteAddress() {
        return exchange.remote();
    }

    /** The address that the connection came from: that of a proxy if there is one. */
    public SocketAddress peerAddress() {
        return exchange.peer();
    }

    /** The address that it came to. */
    public SocketAddress localAddress() {
        return exchange.local();
    }

    /**
     * Whether the client sent it over TLS: to us, or to a trusted proxy that says so ({@link
     * Config#trustedProxies}).
     */
    public boolean isSecure() {
        return exchange.secure();
    }

    /** {@code https} or {@code http}. */
    public String scheme() {
        return isSecure() ? "https" : "http";
    }

    /** What was agreed on with the client, where TLS is spoken: its certificate, for instance. */
    public Optional<TlsSession> tls() {
        return exchange.tls();
    }

    /** The loop of its connection, for what has to happen there, or later. Any thread. */
    public Loop loop() {
        return exchange.loop();
    }

    /** A name for this request in logs, unlike any other's of this process. */
    public String id() {
        return exchange.id();
    }

    /**
     * Sends an interim response before the response itself: 103 (Early Hints, RFC 8297) with links
     * to what the page will need, for example. It is not sent to HTTP/1.0 clients, to a client that
     * does not take what it was sent before, and behind the beginning of the response.
     *
     * @param status 102 to 199
     * @throws IllegalArgumentException for another status
     */
    public void interim(int status, Headers headers) {
        if (status < 102 || status > 199) {
            throw new IllegalArgumentException(
                    "The status of an interim response is 102 to 199, not " + status + ".");
        }
        exchange.interim(status, headers);
    }

    /** Whether the client is still there, as far as we know. */
    public boolean isConnected() {
        return exchange.connected();
    }

    /**
     * Has {@code action} run when the client goes away before its response is complete: for a
     * response that is made {@linkplain Response#async later}, or work that nobody waits for any
     * more. It runs once, on {@link #loop}, and so must not block; at once when the client has gone
     * already, and never when the response is complete first: when all of it is written, or most of
     * it has left if it is a longer one.
     *
     * <p>A client has gone when its connection has come to its end, or when it has ended its own
     * side of it: hardly one does that and still reads (RFC 9112 9.6), but to one that does the
     * response is sent all the same. Any thread.
     */
    public void onDisconnect(Runnable action) {
        exchange.whenGone(action);
    }

    /** Something that a filter left for the handler. */
    public Optional<Object> attribute(String name) {
        return attributes == null ? Optional.empty() : Optional.ofNullable(attributes.get(name));
    }

    /** Leaves something for those who come after. */
    public void attribute(String name, Object value) {
        if (attributes == null) {
            attributes = new HashMap<>();
        }
        attributes.put(name, value);
    }

    /**
     * Names the rule by which a filter refuses the request, such as {@code "deny"}: the access log
     * has a place for it, and a {@link Monitor} finds it in {@link
     * Monitor.CompletedRequest#rejectedBy}.
     */
    public void rejectedBy(String rule) {
        rejectedBy = Objects.requireNonNull(rule);
    }

    Optional<String> rejectedBy() {
        return Optional.ofNullable(rejectedBy);
    }
}

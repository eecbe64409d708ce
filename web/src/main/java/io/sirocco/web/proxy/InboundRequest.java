// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.Body;
import io.sirocco.http.BodySource;
import io.sirocco.http.Cookie;
import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.TrustedProxies.Field;
import io.sirocco.net.Loop;
import io.sirocco.web.cache.OriginRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The parts of a client's request that a {@link Proxy} forwards, or a request of this program. It
 * may outlive the client's request. Immutable, except for the body.
 */
final class InboundRequest {
    /** The client of a request of this program. */
    private static final SocketAddress NOBODY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    final String method;
    final String version;
    final String scheme;
    final String authority;

    /** The {@code Host} for the server, unless the proxy has another one; empty for its own. */
    final String host;

    /** In origin-form: the path and the query (RFC 9112 3.2.1). */
    final String target;

    final String path;
    final SocketAddress remoteAddress;

    /** The peer of the connection if it is a trusted proxy; else the client. */
    final SocketAddress hop;

    /** The address that the client has connected to. */
    final SocketAddress localAddress;

    final Set<Field> trustedHeaders;
    final Loop loop;
    final Body body; // null for none, and while a cache has it
    private final byte[] content; // of a request of this program; else null
    final Headers headers;

    /** The headers to set, with their values for this request; null for those of the options. */
    final List<HeaderRule> rules;

    private InboundRequest(Request request) {
        this(request, request.authority(), request.target(), request.headers());
    }

    private InboundRequest(Request request, String host, String target, Headers headers) {
        this.method = request.method();
        this.version = request.version();
        this.scheme = request.scheme();
        this.authority = request.authority();
        this.host = host;
        this.target = origin(target);
        this.path = path(target);
        this.remoteAddress = request.remoteAddress();
        this.localAddress = request.localAddress();
        this.trustedHeaders = request.trustedHeaders();
        this.hop = trustedHeaders.isEmpty() ? remoteAddress : request.peerAddress();
        this.loop = request.loop();
        this.body = request.body().length().orElse(-1) == 0 ? null : request.body();
        this.content = null;
        this.headers = headers;
        this.rules = null;
    }

    private InboundRequest(InboundRequest from, OriginRequest sent) {
        this.method = sent.method();
        this.version = from.version;
        this.scheme = from.scheme;
        this.authority = from.authority;
        this.host = from.host;
        this.target = from.target;
        this.path = from.path;
        this.remoteAddress = from.remoteAddress;
        this.localAddress = from.localAddress;
        this.trustedHeaders = from.trustedHeaders;
        this.hop = from.hop;
        this.loop = from.loop;
        this.body = sent.body().orElse(null);
        this.content = null;
        this.headers = sent.headers();
        this.rules = from.rules;
    }

    private InboundRequest(InboundRequest from, String target, List<HeaderRule> rules) {
        this.method = from.method;
        this.version = from.version;
        this.scheme = from.scheme;
        this.authority = from.authority;
        this.host = from.host;
        this.target = origin(target);
        this.path = path(target);
        this.remoteAddress = from.remoteAddress;
        this.localAddress = from.localAddress;
        this.trustedHeaders = from.trustedHeaders;
        this.hop = from.hop;
        this.loop = from.loop;
        this.body = from.body;
        this.content = from.content;
        this.headers = from.headers;
        this.rules = rules;
    }

    private InboundRequest(UpstreamRequest own, Loop loop) {
        this.method = own.method();
        this.version = "HTTP/1.1";
        this.scheme = "http";
        this.authority = "";
        this.host = own.headers().first("Host").orElse("");
        this.target = origin(own.target());
        this.path = path(own.target());
        this.remoteAddress = NOBODY;
        this.localAddress = NOBODY;
        this.trustedHeaders = Set.of();
        this.hop = NOBODY;
        this.loop = loop;
        this.body = null;
        this.content = own.body();
        this.headers = own.headers();
        this.rules = null;
    }

    static InboundRequest of(Request request) {
        return new InboundRequest(request);
    }

    /**
     * Returns a client's request with another target and other headers. A {@code Host} among them
     * that is not the client's is for the server.
     */
    static InboundRequest of(Request request, String target, Headers headers) {
        String host = headers.first("Host").orElse("");
        boolean same = request.header("Host").orElse("").equals(host);
        return new InboundRequest(request, same ? request.authority() : host, target, headers);
    }

    /** Returns this request with another path and query, before the client's query. */
    InboundRequest withTarget(String other) {
        int mark = target.indexOf('?');
        String query = mark < 0 ? "" : target.substring(mark + 1);
        char before = other.indexOf('?') < 0 ? '?' : '&';
        return new InboundRequest(this, query.isEmpty() ? other : other + before + query, rules);
    }

    /** Returns this request with the headers to set. */
    InboundRequest withRules(List<HeaderRule> rules) {
        return new InboundRequest(this, target, rules);
    }

    /** Returns a request of this program. */
    static InboundRequest of(UpstreamRequest own, Loop loop) {
        return new InboundRequest(own, loop);
    }

    /**
     * Returns a target that names no host, so that the server serves the one of {@code Host}.
     *
     * @throws IllegalArgumentException if it is not in origin-form
     */
    private static String origin(String target) {
        if (!target.startsWith("/")) {
            throw new IllegalArgumentException(
                    "A request is forwarded with a path that begins with a slash, not '"
                            + target
                            + "' (RFC 9112 3.2.1).");
        }
        return target;
    }

    private static String path(String target) {
        int mark = target.indexOf('?');
        return mark < 0 ? target : target.substring(0, mark);
    }

    /** Returns this request as a cache sends it: with the headers and the body that it says. */
    InboundRequest sentBy(OriginRequest cache) {
        return new InboundRequest(this, cache);
    }

    /** Returns whether it is a request of this program. */
    boolean isOwn() {
        return remoteAddress == NOBODY;
    }

    boolean isSecure() {
        return scheme.equals("https");
    }

    /** Returns the length of the body, 0 without one and -1 if it is unknown. */
    long length() {
        if (content != null) {
            return content.length;
        }
        return body == null ? 0 : body.length().orElse(-1);
    }

    /** Returns the body, if there is one. */
    BodySource source() {
        return content == null ? body::next : new Content(content);
    }

    /** A body in memory. Loop-confined. */
    private static final class Content implements BodySource {
        private byte[] rest;

        Content(byte[] content) {
            this.rest = content;
        }

        @Override
        public CompletionStage<byte[]> next() {
            byte[] next = rest;
            rest = new byte[0];
            return CompletableFuture.completedFuture(next);
        }
    }

    /** Returns the values of a header, joined; empty if it is absent. */
    String list(String name) {
        return headers.has(name) ? String.join(", ", headers.all(name)) : "";
    }

    /** Returns the value of a cookie; empty if it is absent. */
    String cookie(String name) {
        return Cookie.value(headers, name).orElse("");
    }
}

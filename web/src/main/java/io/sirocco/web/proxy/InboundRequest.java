// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.Body;
import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.TrustedProxies.Field;
import io.sirocco.net.Loop;
import io.sirocco.web.cache.OriginRequest;
import java.net.SocketAddress;
import java.util.Set;

/**
 * What a {@link Proxy} forwards of a client's request. It may outlive that request. Immutable,
 * except for the body.
 */
final class InboundRequest {
    final String method;
    final String version;
    final String scheme;
    final String authority;
    final String target;
    final String path;
    final SocketAddress remoteAddress;

    /** The peer of a trusted proxy; else the client. */
    final SocketAddress hop;

    /** Where the client's connection ends. */
    final SocketAddress localAddress;

    final Set<Field> trustedHeaders;
    final Loop loop;
    final Body body; // null for none, and while a cache has it
    final Headers headers;

    private InboundRequest(Request request) {
        this.method = request.method();
        this.version = request.version();
        this.scheme = request.scheme();
        this.authority = request.authority();
        this.target = request.target();
        this.path = request.path();
        this.remoteAddress = request.remoteAddress();
        this.localAddress = request.localAddress();
        this.trustedHeaders = request.trustedHeaders();
        this.hop = trustedHeaders.isEmpty() ? remoteAddress : request.peerAddress();
        this.loop = request.loop();
        this.body = request.body().length().orElse(-1) == 0 ? null : request.body();
        this.headers = request.headers();
    }

    private InboundRequest(InboundRequest from, OriginRequest sent) {
        this.method = sent.method();
        this.version = from.version;
        this.scheme = from.scheme;
        this.authority = from.authority;
        this.target = from.target;
        this.path = from.path;
        this.remoteAddress = from.remoteAddress;
        this.localAddress = from.localAddress;
        this.trustedHeaders = from.trustedHeaders;
        this.hop = from.hop;
        this.loop = from.loop;
        this.body = sent.body().orElse(null);
        this.headers = sent.headers();
    }

    static InboundRequest of(Request request) {
        return new InboundRequest(request);
    }

    /** Returns this request as a cache sends it: with the headers and the body that it says. */
    InboundRequest sentBy(OriginRequest cache) {
        return new InboundRequest(this, cache);
    }

    boolean isSecure() {
        return scheme.equals("https");
    }

    /** Returns the length of the body, 0 without one and -1 if it is unknown. */
    long length() {
        return body == null ? 0 : body.length().orElse(-1);
    }

    /** Returns the values of a header, joined; empty if it is absent. */
    String list(String name) {
        return headers.has(name) ? String.join(", ", headers.all(name)) : "";
    }

    /** Returns the value of a cookie; empty if it is absent. */
    String cookie(String name) {
        for (String pair : headers.first("Cookie").orElse("").split(";")) {
            int equals = pair.indexOf('=');
            if (equals > 0 && pair.substring(0, equals).strip().equals(name)) {
                return unquoted(pair.substring(equals + 1).strip());
            }
        }
        return "";
    }

    private static String unquoted(String value) {
        boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1) : value;
    }
}

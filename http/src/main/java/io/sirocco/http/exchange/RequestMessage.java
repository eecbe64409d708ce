// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.Body;
import io.sirocco.http.Headers;
import io.sirocco.http.Params;
import io.sirocco.http.Request;
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

/** The {@link Request} of an {@link Exchange}. Used by one thread at a time. */
public final class RequestMessage implements Request {

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

    public RequestMessage(Exchange exchange, RequestHead head, PathParams params) {
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
    public void detach() {
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

    @Override
    public String method() {
        return head().method();
    }

    @Override
    public String path() {
        return head().path();
    }

    @Override
    public String target() {
        return head().target();
    }

    @Override
    public String version() {
        return head().version();
    }

    @Override
    public String host() {
        RequestHead all = head();
        Forwarded forwarded = exchange.forwarded;
        if (forwarded != null && !forwarded.authority().isEmpty()) {
            return forwarded.host();
        }
        return all.hasHost() ? all.host() : "";
    }

    @Override
    public String authority() {
        RequestHead all = head();
        Forwarded forwarded = exchange.forwarded;
        if (forwarded != null && !forwarded.authority().isEmpty()) {
            return forwarded.authority();
        }
        return host() + (all.hasHost() && all.port() >= 0 ? ":" + all.port() : "");
    }

    @Override
    public String param(String name) {
        return params.get(name);
    }

    @Override
    public Params query() {
        if (query == null) {
            query = head().hasQuery() ? Params.of(head().query()) : Params.empty();
        }
        return query;
    }

    @Override
    public Optional<String> header(String name) {
        int i = head().find(name);
        return i < 0 ? Optional.empty() : Optional.of(head().value(i));
    }

    @Override
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

    @Override
    public void headers(BiConsumer<String, String> action) {
        RequestHead all = head();
        for (int i = 0; i < all.count(); i++) {
            action.accept(all.name(i), all.value(i));
        }
    }

    @Override
    public Optional<String> cookie(String name) {
        if (cookies == null) {
            cookies = header("Cookie").map(Cookies::parse).orElse(Map.of());
        }
        return Optional.ofNullable(cookies.get(name));
    }

    @Override
    public Body body() {
        if (body == null) {
            body = new MessageBody(exchange, this);
        }
        return body;
    }

    @Override
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

    @Override
    public SocketAddress remoteAddress() {
        return exchange.remote();
    }

    @Override
    public SocketAddress peerAddress() {
        return exchange.peer();
    }

    @Override
    public SocketAddress localAddress() {
        return exchange.local();
    }

    @Override
    public boolean isSecure() {
        return exchange.secure();
    }

    @Override
    public Optional<TlsSession> tls() {
        return exchange.tls();
    }

    @Override
    public Loop loop() {
        return exchange.loop();
    }

    @Override
    public String id() {
        return exchange.id();
    }

    @Override
    public void interim(int status, Headers headers) {
        if (status < 102 || status > 199) {
            throw new IllegalArgumentException(
                    "The status of an interim response must be 102 to 199, not " + status + ".");
        }
        exchange.interim(status, headers);
    }

    @Override
    public boolean isConnected() {
        return exchange.connected();
    }

    @Override
    public void onDisconnect(Runnable action) {
        exchange.whenGone(action);
    }

    @Override
    public Optional<Object> attribute(String name) {
        return attributes == null ? Optional.empty() : Optional.ofNullable(attributes.get(name));
    }

    @Override
    public void attribute(String name, Object value) {
        if (attributes == null) {
            attributes = new HashMap<>();
        }
        attributes.put(name, value);
    }

    @Override
    public void rejectedBy(String rule) {
        rejectedBy = Objects.requireNonNull(rule);
    }

    Optional<String> rejectedBy() {
        return Optional.ofNullable(rejectedBy);
    }
}

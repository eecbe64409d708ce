// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.BadRequest;
import io.sirocco.http.Body;
import io.sirocco.http.ErrorPages;
import io.sirocco.http.Headers;
import io.sirocco.http.MediaType;
import io.sirocco.http.Params;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.TrustedProxies;
import io.sirocco.http.message.CheckedHeaders;
import io.sirocco.http.message.Cookies;
import io.sirocco.http.message.RequestHead;
import io.sirocco.http.route.PathParams;
import io.sirocco.net.Loop;
import io.sirocco.net.TlsSession;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** The {@link Request} of an {@link Exchange}. Used by one thread at a time. */
public final class RequestMessage implements Request {
    /** How often a request that is forwarded is in memory, the first copy included. */
    private static final int COPIES = 3;

    private static final String ACCEPT_ENCODING = "Accept-Encoding";

    final Exchange exchange;
    private final PathParams params;
    private RequestHead head; // null when the request is over
    private boolean detached;
    private Headers all; // null until they are asked for
    private RequestExtras extras; // null until one of them is needed

    RequestMessage(Exchange exchange, RequestHead head, PathParams params, Forwarded forwarded) {
        this.exchange = exchange;
        this.head = head;
        this.params = params;
        if (forwarded != null) {
            extras().forwarded = forwarded;
        }
    }

    private RequestExtras extras() {
        if (extras == null) {
            extras = new RequestExtras();
        }
        return extras;
    }

    /** Returns what a trusted proxy says of the client, or null. */
    Forwarded forwarded() {
        return extras == null ? null : extras.forwarded;
    }

    /** Thrown when a request is read that is complete. */
    static final class Complete extends IllegalStateException {
        private static final long serialVersionUID = 1;

        private Complete() {
            super("The request is complete: copy what you need before its response.");
        }
    }

    private RequestHead head() {
        if (head == null) {
            throw new Complete();
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

    /**
     * Returns the number of bytes of the copy. A handler that takes all headers keeps them, and
     * what it makes of them and of the target, as a proxy and a cache do.
     */
    int stored() {
        if (head == null || !detached) {
            return 0;
        }
        return all == null ? head.end() : COPIES * head.end();
    }

    /** Returns the most that {@link #stored} can be. */
    int mostStored() {
        return head == null ? 0 : COPIES * head.end;
    }

    void over() {
        head = null;
        all = null;
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
    public ErrorPages errorPages() {
        return exchange.context.serverContext;
    }

    @Override
    public Response methodNotAllowed(String... served) {
        ServerContext server = exchange.context.serverContext;
        return server.methodNotAllowed(
                method(),
                server.router().notAllowed(host(), head().path(), head(), List.of(served)).allow());
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
        return head().pathAndQuery();
    }

    @Override
    public String version() {
        return head().version();
    }

    @Override
    public String host() {
        RequestHead all = head();
        Forwarded forwarded = forwarded();
        if (forwarded != null && !forwarded.authority().isEmpty()) {
            return forwarded.host();
        }
        return all.hasHost() ? all.host() : "";
    }

    @Override
    public String authority() {
        RequestHead all = head();
        Forwarded forwarded = forwarded();
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
        RequestExtras known = extras();
        if (known.query == null) {
            known.query = head().hasQuery() ? Params.of(head().query()) : Params.empty();
        }
        return known.query;
    }

    @Override
    public void limitCodings(Set<String> codings) {
        extras().codings = Set.copyOf(codings);
        all = null;
    }

    /** Returns whether the header is not as the client sent it. */
    private boolean isLimited(String name) {
        return extras != null && extras.codings != null && name.equalsIgnoreCase(ACCEPT_ENCODING);
    }

    /** Returns those elements of Accept-Encoding that may be seen. */
    private Optional<String> codings() {
        RequestHead from = head();
        var kept = new StringJoiner(", ");
        for (int i = from.find(ACCEPT_ENCODING); i >= 0; i = from.find(ACCEPT_ENCODING, i + 1)) {
            for (String each : from.value(i).split(",")) {
                String coding = each.substring(0, (each + ";").indexOf(';')).strip();
                if (extras.codings.contains(coding.toLowerCase(Locale.ROOT))) {
                    kept.add(each.strip());
                }
            }
        }
        return kept.length() == 0 ? Optional.empty() : Optional.of(kept.toString());
    }

    @Override
    public Optional<String> header(String name) {
        if (isLimited(name)) {
            return codings();
        }
        int i = head().find(name);
        return i < 0 ? Optional.empty() : Optional.of(head().value(i));
    }

    @Override
    public Optional<String> headerList(String name) {
        if (isLimited(name)) {
            return codings();
        }
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
    public Headers headers() {
        RequestHead from = head();
        if (all == null) {
            all = CheckedHeaders.of(from);
            if (isLimited(ACCEPT_ENCODING)) {
                all = all.without(ACCEPT_ENCODING);
                Optional<String> kept = codings();
                all = kept.isEmpty() ? all : all.with(ACCEPT_ENCODING, kept.get());
            }
        }
        return all;
    }

    @Override
    public void headers(BiConsumer<String, String> action) {
        if (isLimited(ACCEPT_ENCODING)) {
            headers().forEach(action);
            return;
        }
        RequestHead all = head();
        for (int i = 0; i < all.count(); i++) {
            action.accept(all.name(i), all.value(i));
        }
    }

    @Override
    public Optional<String> cookie(String name) {
        RequestExtras known = extras();
        if (known.cookies == null) {
            var fields = new ArrayList<String>(1);
            RequestHead all = head();
            for (int i = all.find("Cookie"); i >= 0; i = all.find("Cookie", i + 1)) {
                fields.add(all.value(i));
            }
            known.cookies = Cookies.parse(fields);
        }
        return Optional.ofNullable(known.cookies.get(name));
    }

    @Override
    public Body body() {
        RequestExtras known = extras();
        if (known.body == null) {
            known.body = new MessageBody(exchange, this);
        }
        return known.body;
    }

    @Override
    public Params form() throws IOException {
        RequestExtras known = extras();
        if (known.form == null) {
            Optional<MediaType> form =
                    contentType().filter(type -> type.is("application/x-www-form-urlencoded"));
            form.flatMap(type -> type.parameter("charset"))
                    .ifPresent(RequestMessage::checkFormCharset);
            known.form = form.isPresent() ? Params.of(body().text()) : Params.empty();
        }
        return known.form;
    }

    /** A form in another charset would lose text, since its percent-encoded bytes are UTF-8. */
    private static void checkFormCharset(String charset) {
        String name = charset.toLowerCase(Locale.ROOT);
        if (!name.equals("utf-8") && !name.equals("utf8") && !name.equals("us-ascii")) {
            throw new BadRequest(415, "The form must be in UTF-8, not in another charset.");
        }
    }

    @Override
    public SocketAddress remoteAddress() {
        Forwarded forwarded = forwarded();
        return forwarded != null ? forwarded.client() : onLoop(exchange.stream::remote);
    }

    @Override
    public SocketAddress peerAddress() {
        return onLoop(exchange.stream::peer);
    }

    private SocketAddress onLoop(Supplier<SocketAddress> address) {
        return exchange.context.call(() -> CompletableFuture.completedFuture(address.get())).join();
    }

    @Override
    public SocketAddress localAddress() {
        return exchange.stream.local();
    }

    @Override
    public Set<TrustedProxies.Field> trustedHeaders() {
        return forwarded() == null ? Set.of() : exchange.context.serverContext.proxies().fields();
    }

    @Override
    public boolean isSecure() {
        Forwarded forwarded = forwarded();
        return forwarded == null || forwarded.scheme().isEmpty()
                ? exchange.stream.tls().isPresent()
                : forwarded.scheme().equals("https");
    }

    @Override
    public Optional<TlsSession> tls() {
        return exchange.stream.tls();
    }

    @Override
    public Loop loop() {
        return exchange.context.loop;
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
    public void beginResponse(Response response) {
        exchange.context.responder.begin(exchange, (ResponseMessage) response);
    }

    @Override
    public boolean isConnected() {
        return exchange.stream.connected();
    }

    @Override
    public void onDisconnect(Runnable action) {
        exchange.whenGone(action);
    }

    @Override
    public void onComplete(Runnable action) {
        exchange.whenOver(action);
    }

    @Override
    public Optional<Object> attribute(String name) {
        return extras == null || extras.attributes == null
                ? Optional.empty()
                : Optional.ofNullable(extras.attributes.get(name));
    }

    @Override
    public void attribute(String name, Object value) {
        RequestExtras known = extras();
        if (known.attributes == null) {
            known.attributes = new HashMap<>();
        }
        known.attributes.put(name, value);
    }

    @Override
    public void rejectedBy(String rule) {
        extras().rejectedBy = Objects.requireNonNull(rule);
    }

    Optional<String> rejectedBy() {
        return extras == null ? Optional.empty() : Optional.ofNullable(extras.rejectedBy);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.ErrorPages;
import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.web.cache.ResponseCache;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * What a {@link Proxy} changes of the requests and responses that it forwards. Set in the lambda
 * that the proxy is made with. Used by one thread.
 */
public final class ProxyOptions {
    /** How the server learns of the client. */
    public enum Forwarding {
        /** {@code X-Forwarded-For}, {@code X-Forwarded-Proto}, {@code X-Forwarded-Host}. */
        X_FORWARDED,
        /** {@code Forwarded} (RFC 7239). */
        FORWARDED,
        /** Both. */
        BOTH,
        /** Not at all. */
        NONE
    }

    String strip = "";
    String prefix = "";
    Function<Request, String> rewrite; // null for none
    String host = Proxy.HOST_OF_CLIENT;
    Forwarding forwarding = Forwarding.X_FORWARDED;
    final List<HeaderRule> requestHeaders = new ArrayList<>();
    final List<HeaderRule> responseHeaders = new ArrayList<>();
    boolean rewriteLocation;
    boolean rewriteCookiePath;
    boolean dotSegments;
    boolean abortOnClose = true;
    Set<String> upgrades = Set.of("websocket");
    ErrorPages errorPages = ErrorPages.PLAIN;
    ResponseCache cache; // null for none

    ProxyOptions() {}

    /**
     * Sets what is removed from the beginning of the path, such as {@code /shop}. A path that does
     * not begin with these segments is left as it is. Default: nothing.
     *
     * @throws IllegalArgumentException if it does not begin with a slash
     */
    public ProxyOptions strip(String path) {
        this.strip = path("strip", path);
        return this;
    }

    /**
     * Sets what is put before the path, after {@link #strip}. Default: nothing.
     *
     * @throws IllegalArgumentException if it does not begin with a slash
     */
    public ProxyOptions prefix(String path) {
        this.prefix = path("prefix", path);
        return this;
    }

    /**
     * Sets what replaces the path: a function of the client's request, such as {@link
     * io.sirocco.web.access.Rewrite#ofTarget}, which returns a percent-encoded path, and perhaps a
     * query. The query of the client is put behind it. {@link #strip} and {@link #prefix} apply to
     * the result. A target that {@link Proxy#forward} names is not rewritten. Default: none.
     */
    public ProxyOptions rewrite(Function<Request, String> target) {
        this.rewrite = Objects.requireNonNull(target);
        return this;
    }

    private static String path(String option, String path) {
        if (path.isEmpty() || path.equals("/")) {
            return "";
        }
        if (!path.startsWith("/") || !path.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new IllegalArgumentException(
                    option
                            + " must be a path that begins with a slash and is percent-encoded,"
                            + " not \""
                            + path
                            + "\".");
        }
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    /**
     * Sets the header {@code Host}: {@link Proxy#HOST_OF_CLIENT}, {@link Proxy#HOST_OF_SERVER}, or
     * a host. Default: that of the client.
     */
    public ProxyOptions host(String host) {
        Headers.of("Host", host);
        if (host.isEmpty()) {
            throw new IllegalArgumentException("The host must not be empty.");
        }
        this.host = host;
        return this;
    }

    /** Sets how the server learns of the client. Default: {@link Forwarding#X_FORWARDED}. */
    public ProxyOptions forwarded(Forwarding forwarding) {
        this.forwarding = Objects.requireNonNull(forwarding);
        return this;
    }

    /**
     * Sets a header of the request in place of the client's; an empty value removes it.
     *
     * @throws IllegalArgumentException if the name or value is invalid, or the proxy sets the
     *     header itself
     */
    public ProxyOptions requestHeader(String name, String value) {
        requestHeaders.add(rule(name, value));
        return this;
    }

    /**
     * Sets a header of each request to what a function returns for it, such as the address of the
     * client. An empty string removes the header. Characters that are neither visible ASCII nor
     * spaces are percent-encoded, so a client cannot add a header by a value that it chooses. With
     * a {@linkplain #cache cache}, a response that varies by this header is not stored.
     *
     * @throws IllegalArgumentException if the name is invalid, or the proxy sets the header itself
     */
    public ProxyOptions requestHeader(String name, Function<Request, String> value) {
        requestHeaders.add(new HeaderRule(rule(name, "").name(), null, value));
        return this;
    }

    /**
     * Sets a header of each response to what a function returns for its request, as {@link
     * #requestHeader(String, Function)} does. It is set in each response of the proxy, also in one
     * from the cache and in a page of 502.
     *
     * @throws IllegalArgumentException if the name is invalid, or the proxy sets the header itself
     */
    public ProxyOptions responseHeader(String name, Function<Request, String> value) {
        responseHeaders.add(new HeaderRule(rule(name, "").name(), null, value));
        return this;
    }

    /**
     * Sets a header of the response in place of the server's; an empty value removes it.
     *
     * @throws IllegalArgumentException if the name or value is invalid, or the proxy sets the
     *     header itself
     */
    public ProxyOptions responseHeader(String name, String value) {
        responseHeaders.add(rule(name, value));
        return this;
    }

    private static HeaderRule rule(String name, String value) {
        Headers.of(name, value);
        if (HopByHop.NAMES.contains(name)
                || name.equalsIgnoreCase("Host")
                || name.equalsIgnoreCase("Trailer")) {
            throw new IllegalArgumentException(name + " is set by the proxy.");
        }
        return HeaderRule.of(name, value);
    }

    /**
     * Has {@code Location} and {@code Content-Location} that point to the server, or to a path
     * below {@link #prefix}, point to the route. Default: false.
     */
    public ProxyOptions rewriteLocation(boolean on) {
        this.rewriteLocation = on;
        return this;
    }

    /**
     * Has {@code Path} of {@code Set-Cookie} changed as {@link #rewriteLocation} does, and a {@code
     * Domain} removed that is the server's host. Default: false.
     */
    public ProxyOptions rewriteCookiePath(boolean on) {
        this.rewriteCookiePath = on;
        return this;
    }

    /**
     * Sets whether a path may have the segments {@code .} and {@code ..}, be they percent-encoded
     * or followed by parameters. Servers resolve them, and so reach paths whose routes have other
     * access rules; therefore they are refused with 400. Browsers never send them. Default: false.
     */
    public ProxyOptions allowDotSegments(boolean on) {
        this.dotSegments = on;
        return this;
    }

    /**
     * Sets whether the request to the server is cancelled when the client closes its sending side.
     * A client that has left cannot be told from one that still reads until the response is sent to
     * it. By default it counts as one that has left; if it reads, it gets 500. A reset, or an end
     * within the body of the request, always cancels. Has no effect on requests that go through a
     * {@link #cache}. Default: true.
     */
    public ProxyOptions abortOnClose(boolean on) {
        this.abortOnClose = on;
        return this;
    }

    /**
     * Sets the protocols of {@code Upgrade} that are forwarded. Requests for others are forwarded
     * without it. {@code *} stands for all of them. {@code h2c} is never forwarded, since all
     * requests of such a connection would bypass the routes. Default: {@code websocket}.
     *
     * @throws IllegalArgumentException for {@code h2c}
     */
    public ProxyOptions upgrades(String... protocols) {
        var names = new HashSet<String>();
        for (String each : protocols) {
            names.add(each.toLowerCase(Locale.ROOT));
        }
        if (names.contains("h2c")) {
            throw new IllegalArgumentException("h2c cannot be forwarded: it bypasses the routes.");
        }
        this.upgrades = Set.copyOf(names);
        return this;
    }

    /** Returns whether a protocol, in lower case, is forwarded. */
    boolean forwardsUpgrade(String protocol) {
        return upgrades.contains(protocol)
                || upgrades.contains("*") && !protocol.isEmpty() && !protocol.equals("h2c");
    }

    /**
     * Has a cache respond to the requests that it can, and store what the servers allow it to. All
     * requests but upgrades go through it; one that it forwards has the same limits, retries and
     * timeouts as without it. The cache may be that of several proxies, and is closed by its owner.
     * Default: none.
     */
    public ProxyOptions cache(ResponseCache cache) {
        this.cache = Objects.requireNonNull(cache);
        return this;
    }

    /** Sets the pages of 400, 502, 503, 504 and 508. Default: {@link ErrorPages#PLAIN}. */
    public ProxyOptions errorPages(ErrorPages pages) {
        this.errorPages = Objects.requireNonNull(pages);
        return this;
    }
}

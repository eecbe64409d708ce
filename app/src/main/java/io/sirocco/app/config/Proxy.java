// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.web.proxy.ProxyOptions.Forwarding;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The action {@code proxy} of a route: requests are forwarded to the servers of an upstream.
 * Immutable.
 *
 * @param to the name of an upstream, or the URL of a server
 * @param strip removed from the beginning of the path; may be empty
 * @param prefix put before the path, after {@code strip}; may be empty
 * @param rewrite the path and the query instead of those of the client, with {@code {name}} and
 *     {@code {*}} of the route's path; empty for those of the client
 * @param host {@code "client"}, {@code "server"}, or the value of {@code Host}
 * @param requestHeaders values of {@link HeaderTemplate}; an empty value removes a header
 * @param responseHeaders the same
 * @param upgrades the protocols of {@code Upgrade} that are forwarded
 */
public record Proxy(
        String to,
        String strip,
        String prefix,
        Optional<String> rewrite,
        String host,
        Forwarding forwarded,
        Map<String, String> requestHeaders,
        Map<String, String> responseHeaders,
        boolean rewriteLocation,
        boolean rewriteCookiePath,
        List<String> upgrades,
        boolean allowDotSegments,
        boolean abortOnClose)
        implements Action {

    private static final List<String> FORWARDINGS =
            List.of("x-forwarded", "forwarded", "both", "none");

    /** The headers that the proxy sets itself (RFC 9110 7.6.1, and {@code Host}). */
    private static final Set<String> OF_THE_PROXY =
            Set.of(
                    "host",
                    "http2-settings",
                    "proxy-authenticate",
                    "proxy-authorization",
                    "proxy-connection");

    static Proxy read(Table table) {
        return new Proxy(
                table.needed(
                                "to",
                                Node.of("http://127.0.0.1"),
                                "to = \"http://10.0.0.1:8080\"",
                                Values.text(text -> to(text, table)))
                        .toString(),
                table.text("strip", "", Proxy::path),
                table.text("prefix", "", Proxy::path),
                Optional.empty(),
                table.text("host", "client", Proxy::host),
                Forwarding.valueOf(
                        Upstream.constant(
                                table.value(
                                        "forwarded",
                                        Node.of("x-forwarded"),
                                        Values.oneOf(FORWARDINGS)))),
                table.map("request-headers", true, Proxy::field),
                table.map("response-headers", true, Proxy::field),
                table.flag("rewrite-location", false),
                table.flag("rewrite-cookie-path", false),
                table.list("upgrades", List.of("websocket"), Values.text(Proxy::protocol)),
                table.flag("allow-dot-segments", false),
                table.flag("abort-on-close", true));
    }

    /** Returns the same action for a route with {@code rewrite}. */
    Proxy rewritten(String target) {
        return new Proxy(
                to,
                strip,
                prefix,
                Optional.of(target),
                host,
                forwarded,
                requestHeaders,
                responseHeaders,
                rewriteLocation,
                rewriteCookiePath,
                upgrades,
                allowDotSegments,
                abortOnClose);
    }

    /** Returns whether the route names a server, and no upstream. */
    public boolean isUrl() {
        return Upstream.isUrl(to);
    }

    /** Returns the upstream of a route that names a server. */
    public Upstream ofUrl() {
        return Upstream.of(to);
    }

    private static Object to(String text, Table table) {
        if (text.isEmpty()) {
            throw new ConfigError("is empty", "name an upstream, or the URL of a server");
        }
        return Upstream.isUrl(text) ? Upstream.url(text, table.folder()) : text;
    }

    private static String path(String text) {
        if (text.isEmpty() || text.matches("/[\\x21-\\x7e]*")) return text;
        throw new ConfigError(
                "is not a path: \"" + text + "\"", "begin with / and percent-encode the rest");
    }

    private static String host(String text) {
        if (text.isEmpty()) {
            throw new ConfigError("is empty", "write \"client\", \"server\" or a host");
        }
        return Texts.fieldValue(text);
    }

    private static void field(String name, String value) {
        Texts.field(name, value);
        HeaderTemplate.parse(value);
        if (OF_THE_PROXY.contains(name.toLowerCase(Locale.ROOT))) {
            throw new ConfigError(
                    "is set by the proxy",
                    name.equalsIgnoreCase("Host") ? "use \"host\"" : "remove it");
        }
    }

    private static String protocol(String text) {
        if (text.equalsIgnoreCase("h2c")) {
            throw new ConfigError(
                    "contains \"" + text + "\"",
                    "requests of such a connection would bypass the routes");
        }
        int slash = text.indexOf('/'); // a name, and perhaps a version (RFC 9110 7.8)
        return slash < 0
                ? Texts.token(text)
                : Texts.token(text.substring(0, slash))
                        + "/"
                        + Texts.token(text.substring(slash + 1));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * A server that requests go to: scheme, host and port (RFC 9110 4.3.1), or a Unix-domain socket on
 * this machine. Connections are pooled by origin. Immutable.
 *
 * @param secure whether TLS is spoken
 * @param host a name in lower case, or an address; one of IPv6 in brackets, as in URLs
 * @param port 1 to 65,535
 * @param socket the path of a Unix-domain socket to connect to instead of host and port
 */
public record HttpOrigin(boolean secure, String host, int port, Optional<Path> socket) {

    public HttpOrigin {
        Objects.requireNonNull(socket, "socket");
        if (host.isEmpty() || !host.chars().allMatch(HttpOrigin::fits)) {
            throw new IllegalArgumentException("'" + host + "' is not a host.");
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("The port " + port + " is not 1 to 65535.");
        }
        host = host.toLowerCase(Locale.ROOT);
    }

    private static boolean fits(int c) {
        return c > ' ' && c < 0x7f && "/?#@\\\"<>^`{|}".indexOf(c) < 0;
    }

    /**
     * Returns the origin of an {@code http} or {@code https} URL.
     *
     * @throws IllegalArgumentException for another scheme, a URL without a host, or with user
     *     information (RFC 9110 4.2.4)
     */
    public static HttpOrigin of(URI uri) {
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        boolean secure = scheme.equals("https");
        if (!secure && !scheme.equals("http") || uri.getHost() == null) {
            throw new IllegalArgumentException(
                    "A request goes to http://host[:port]/path or https://..., not to '"
                            + uri
                            + "'.");
        }
        if (uri.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "Use the header Authorization for the user and the password in '"
                            + uri.getHost()
                            + "' (RFC 9110 4.2.4).");
        }
        int port = uri.getPort() >= 0 ? uri.getPort() : secure ? 443 : 80;
        return new HttpOrigin(secure, uri.getHost(), port, Optional.empty());
    }

    /** Returns the origin of a URL, such as {@code "http://localhost:8080"}. */
    public static HttpOrigin of(String url) {
        return of(URI.create(url));
    }

    /** Returns an origin without TLS at a Unix-domain socket; its host is {@code localhost}. */
    public static HttpOrigin unix(Path socket) {
        return new HttpOrigin(false, "localhost", 80, Optional.of(socket));
    }

    /** Returns the value of Host: the host, and the port where it is not the scheme's default. */
    public String authority() {
        return port == (secure ? 443 : 80) ? host : host + ":" + port;
    }

    /** Returns it as in a URL; with the path of its socket, if it has one. */
    @Override
    public String toString() {
        String url = (secure ? "https://" : "http://") + authority();
        return socket.map(path -> url + " at " + path).orElse(url);
    }
}

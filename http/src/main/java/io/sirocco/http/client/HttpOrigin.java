// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.HostAndPort;
import io.sirocco.http.message.Authority;
import io.sirocco.net.limit.Ip;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * The destination of requests: scheme, host and port (RFC 9110 4.3.1), and where to connect if that
 * is not what the host says: a Unix-domain socket, or one address of the host. The client pools
 * connections by origin. Immutable.
 *
 * @param secure whether to use TLS
 * @param host a name in lower case, or an address; an IPv6 address is in brackets, as in URLs
 * @param port 1 to 65,535
 * @param address the address to connect to instead of host and port, which TLS and Host still name
 */
public record HttpOrigin(boolean secure, String host, int port, Optional<SocketAddress> address) {

    public HttpOrigin {
        Objects.requireNonNull(address, "address");
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
     * @throws IllegalArgumentException if the scheme is another, if the URL has no host, or if it
     *     contains user information (RFC 9110 4.2.4)
     */
    public static HttpOrigin of(URI uri) {
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        boolean secure = scheme.equals("https");
        HostAndPort to = HostAndPort.of(uri, secure ? 443 : 80).orElse(null);
        if (!secure && !scheme.equals("http") || to == null) {
            throw new IllegalArgumentException(
                    "A request goes to http://host[:port]/path or https://..., with the ASCII form of a"
                            + " name (xn--...) and a port of 1 to 65535, not to '"
                            + HostAndPort.redacted(uri.toString())
                            + "'.");
        }
        if (HostAndPort.userInfo(uri).isPresent()) {
            throw new IllegalArgumentException(
                    "Use the header Authorization for the user and the password in '"
                            + to.host()
                            + "' (RFC 9110 4.2.4).");
        }
        return new HttpOrigin(secure, to.host(), to.port(), Optional.empty());
    }

    /** Returns the origin of a URL, such as {@code "http://localhost:8080"}. */
    public static HttpOrigin of(String url) {
        return of(HostAndPort.parseUri(url));
    }

    /** Returns the origin of a Unix-domain socket, without TLS, with the host {@code localhost}. */
    public static HttpOrigin unix(Path socket) {
        return new HttpOrigin(
                false, "localhost", 80, Optional.of(UnixDomainSocketAddress.of(socket)));
    }

    /**
     * Returns this origin at another address: that of a Unix-domain socket, or a resolved one of
     * the Internet.
     *
     * @throws IllegalArgumentException if the address is not resolved
     */
    public HttpOrigin at(SocketAddress address) {
        if (address instanceof InetSocketAddress inet && inet.isUnresolved()) {
            throw new IllegalArgumentException("The address " + inet + " is not resolved.");
        }
        return new HttpOrigin(secure, host, port, Optional.of(address));
    }

    /**
     * Returns the address that its host is; empty if that is a name, which must be looked up.
     *
     * @throws IllegalArgumentException if it is written like an address and is none
     */
    public Optional<InetAddress> literal() {
        return Authority.literal(host);
    }

    /** Returns the value of {@code Host}: the host, and the port unless it is the default. */
    public String authority() {
        return port == (secure ? 443 : 80) ? host : host + ":" + port;
    }

    /** Returns the origin as in a URL, with its address if it has one of its own. */
    @Override
    public String toString() {
        return with("");
    }

    /** Returns a URL of this origin, with its address if it has one of its own, for messages. */
    String with(String path) {
        String url = (secure ? "https://" : "http://") + authority() + path;
        return address.map(at -> url + " at " + text(at)).orElse(url);
    }

    private static String text(SocketAddress address) {
        return address instanceof InetSocketAddress inet
                ? Ip.text(inet.getAddress(), inet.getPort())
                : address.toString();
    }
}

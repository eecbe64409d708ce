// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The host and the port of a URL of any scheme (RFC 3986 3.2). Hosts may have an underscore, as
 * services of Docker do; {@link URI#getHost} is null for those. Names are ASCII: others are written
 * as Punycode, {@code xn--...} (RFC 5890 2.3.2.1). Immutable.
 *
 * @param host a name in lower case, or an IPv4 address or an IPv6 address in brackets
 * @param port 1 to 65,535
 */
public record HostAndPort(String host, int port) {
    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://");
    private static final Pattern NAME = Pattern.compile("([A-Za-z0-9._-]+)(?::([0-9]{0,9}))?");

    public HostAndPort {
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("The port " + port + " is not 1 to 65535.");
        }
        host = host.toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the host and the port of a URL, whose user information is skipped; empty if it has no
     * host, one that cannot be looked up, or a port that is not 1 to 65,535.
     *
     * @param defaultPort the port if the URL has none
     */
    public static Optional<HostAndPort> of(URI uri, int defaultPort) {
        String host = uri.getHost();
        int port = uri.getPort();
        if (host == null) {
            String all = uri.getRawAuthority() == null ? "" : uri.getRawAuthority();
            Matcher name = NAME.matcher(all.substring(all.lastIndexOf('@') + 1));
            if (!name.matches()) {
                return Optional.empty();
            }
            host = name.group(1);
            String digits = name.group(2);
            port = digits == null || digits.isEmpty() ? -1 : Integer.parseInt(digits);
        }
        port = port < 0 ? defaultPort : port;
        return port < 1 || port > 65_535
                ? Optional.empty()
                : Optional.of(new HostAndPort(host, port));
    }

    /**
     * Parses a URL.
     *
     * @throws IllegalArgumentException if it is malformed; the message hides what may be a password
     */
    public static URI parseUri(String url) {
        try {
            return new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "'"
                            + redacted(url)
                            + "' is not a URL: "
                            + e.getReason().toLowerCase(Locale.ROOT));
        }
    }

    /**
     * Returns a URL for a message, even if it is malformed: everything between the scheme and the
     * last {@code @} is hidden, because it may be a password.
     */
    public static String redacted(String url) {
        int at = url.lastIndexOf('@');
        Matcher scheme = SCHEME.matcher(url);
        int from = scheme.lookingAt() && scheme.end() <= at ? scheme.end() : 0;
        return at < 0 ? url : url.substring(0, from) + "***" + url.substring(at);
    }

    /** Returns the user information of a URL as it is written, or empty. */
    public static Optional<String> userInfo(URI uri) {
        String all = uri.getRawAuthority();
        int at = all == null ? -1 : all.lastIndexOf('@');
        return at < 0 ? Optional.empty() : Optional.of(all.substring(0, at));
    }

    /** Returns both as in a URL, such as {@code [::1]:80}. */
    @Override
    public String toString() {
        return host + ":" + port;
    }
}

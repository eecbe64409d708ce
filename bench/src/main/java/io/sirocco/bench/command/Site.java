// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.http.HostAndPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/**
 * A URL, taken apart for those who connect and ask. Immutable.
 *
 * @param address resolved
 * @param host what goes into the Host field
 * @param target path and query, what goes into the request line
 */
record Site(InetSocketAddress address, String host, String target) {
    private static final Pattern WHOLE = Pattern.compile("[A-Za-z]+://[^/].*");

    /**
     * @throws IllegalArgumentException when it is no absolute URL of the scheme http, or its host
     *     is unknown
     */
    static Site of(String url) {
        URI uri = uri(url);
        if (!"http".equalsIgnoreCase(uri.getScheme())) {
            throw new IllegalArgumentException(
                    "'%s': only http is spoken, not %s".formatted(url, uri.getScheme()));
        }
        if (HostAndPort.userInfo(uri).isPresent()) {
            throw new IllegalArgumentException(
                    "'%s': who asks is no part of the URL, give -H 'Authorization: ...'"
                            .formatted(HostAndPort.redacted(url)));
        }
        HostAndPort to = HostAndPort.of(uri, 80).orElseThrow(() -> noPlace(url));
        String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return new Site(
                new InetSocketAddress(resolved(to.host()), to.port()),
                to.port() == 80 ? to.host() : to.toString(),
                uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery());
    }

    /** Of ASCII only: what else there is in a path goes over the wire escaped. */
    private static URI uri(String url) {
        try {
            var uri = new URI(new URI(url).toASCIIString());
            if (uri.getScheme() != null && uri.getRawAuthority() != null) {
                return uri;
            }
        } catch (URISyntaxException e) {
            if (WHOLE.matcher(url).matches()) {
                throw new IllegalArgumentException(
                        "'%s' is no URL: %s at position %d"
                                .formatted(HostAndPort.redacted(url), e.getReason(), e.getIndex()));
            }
        }
        throw new IllegalArgumentException(
                "'"
                        + HostAndPort.redacted(url)
                        + "' is not a whole URL; it should look like http://127.0.0.1:8080/");
    }

    private static IllegalArgumentException noPlace(String url) {
        return new IllegalArgumentException(
                "'%s': after http:// it needs HOST or HOST:PORT, a name in its ASCII form (xn--...)"
                                .formatted(HostAndPort.redacted(url))
                        + " or an address, and a port from 1 to 65535");
    }

    private static InetAddress resolved(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("the host '" + host + "' is not known");
        }
    }
}

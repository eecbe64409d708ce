// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

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
        if (uri.getUserInfo() != null) {
            throw new IllegalArgumentException(
                    "'%s': who asks is no part of the URL, give -H 'Authorization: ...'"
                            .formatted(url));
        }
        int port = uri.getPort() < 0 ? 80 : uri.getPort();
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("the port of '" + url + "' is not from 1 to 65535");
        }
        String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return new Site(
                new InetSocketAddress(resolved(uri.getHost()), port),
                port == 80 ? uri.getHost() : uri.getHost() + ":" + port,
                uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery());
    }

    /** Of ASCII only: what else there is in a path goes over the wire escaped. */
    private static URI uri(String url) {
        try {
            var uri = new URI(new URI(url).toASCIIString());
            if (uri.getScheme() != null && uri.getHost() != null) {
                return uri;
            }
        } catch (URISyntaxException e) {
            if (WHOLE.matcher(url).matches()) {
                throw new IllegalArgumentException(
                        "'%s' is no URL: %s at position %d"
                                .formatted(url, e.getReason(), e.getIndex()));
            }
        }
        throw new IllegalArgumentException(
                "'" + url + "' is not a whole URL; it should look like http://127.0.0.1:8080/");
    }

    private static InetAddress resolved(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("the host '" + host + "' is not known");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;

/**
 * A URL, taken apart for those who connect and ask. Immutable.
 *
 * @param address resolved
 * @param host what goes into the Host field
 * @param target path and query, what goes into the request line
 */
record Site(InetSocketAddress address, String host, String target) {

    /**
     * @throws IllegalArgumentException when it is no absolute URL of the scheme http, or its host
     *     is unknown
     */
    static Site of(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "'%s' is no URL: %s at position %d"
                            .formatted(url, e.getReason(), e.getIndex()));
        }
        if (uri.getScheme() == null || uri.getHost() == null) {
            throw new IllegalArgumentException(
                    "'" + url + "' is not a whole URL; it should look like http://127.0.0.1:8080/");
        }
        if (!uri.getScheme().equalsIgnoreCase("http")) {
            throw new IllegalArgumentException(
                    "'%s': only http is spoken, not %s".formatted(url, uri.getScheme()));
        }
        int port = uri.getPort() < 0 ? 80 : uri.getPort();
        String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return new Site(
                new InetSocketAddress(resolved(uri.getHost()), port),
                port == 80 ? uri.getHost() : uri.getHost() + ":" + port,
                uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery());
    }

    private static InetAddress resolved(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("the host '" + host + "' is not known");
        }
    }
}

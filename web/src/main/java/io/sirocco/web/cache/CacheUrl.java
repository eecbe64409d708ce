// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/**
 * URLs that responses are stored under: the target URI (RFC 9110 7.1) with the host in lower case,
 * without the default port, and without ignored query parameters. Paths are compared as they are
 * sent, so no two spellings share a response. Any thread.
 */
final class CacheUrl {
    private CacheUrl() {}

    /**
     * @param path the path as sent, without the query
     * @param target the request target, of which the query is read
     */
    static String of(
            String scheme, String authority, String path, String target, NamePatterns ignored) {
        int question = target.indexOf('?');
        String query = question < 0 ? "" : target.substring(question);
        return scheme + "://" + authority(scheme, authority) + path + ignored.without(query);
    }

    private static String authority(String scheme, String authority) {
        String host = authority.toLowerCase(Locale.ROOT);
        String port = scheme.equals("https") ? ":443" : ":80";
        return host.endsWith(port) ? host.substring(0, host.length() - port.length()) : host;
    }

    /**
     * Returns the URL of an absolute URI without a fragment.
     *
     * @throws IllegalArgumentException if it is none
     */
    static String parse(String uri, NamePatterns ignored) {
        try {
            URI parsed = new URI(uri);
            if (parsed.getScheme() == null || parsed.getRawAuthority() == null) {
                throw new IllegalArgumentException(
                        "\"" + uri + "\" is not a URL; write https://example.org/path.");
            }
            return of(parsed, ignored);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("\"" + uri + "\" is not a URL.", e);
        }
    }

    private static String of(URI uri, NamePatterns ignored) {
        String path =
                uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        String target = uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
        String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
        return of(scheme, uri.getRawAuthority(), path, target, ignored);
    }

    /**
     * Resolves the reference in {@code Location} or {@code Content-Location} (RFC 9111 4.4). Null
     * if it is malformed or has another origin: then it does not invalidate anything.
     */
    static String sameOrigin(String base, String reference, NamePatterns ignored) {
        try {
            URI resolved = new URI(base).resolve(new URI(reference));
            if (resolved.getScheme() == null || resolved.getRawAuthority() == null) {
                return null;
            }
            String url = of(resolved, ignored);
            return origin(url).equals(origin(base)) ? url : null;
        } catch (URISyntaxException | IllegalArgumentException e) {
            return null;
        }
    }

    private static String origin(String url) {
        int slash = url.indexOf('/', url.indexOf("://") + 3);
        return slash < 0 ? url : url.substring(0, slash);
    }
}

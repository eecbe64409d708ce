// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

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
            String scheme, String authority, String path, String target, List<Pattern> ignored) {
        int question = target.indexOf('?');
        String query = question < 0 ? "" : target.substring(question);
        return scheme
                + "://"
                + authority(scheme, authority)
                + path
                + (ignored.isEmpty() || query.isEmpty() ? query : filtered(query, ignored));
    }

    private static String authority(String scheme, String authority) {
        String host = authority.toLowerCase(Locale.ROOT);
        String port = scheme.equals("https") ? ":443" : ":80";
        return host.endsWith(port) ? host.substring(0, host.length() - port.length()) : host;
    }

    private static String filtered(String query, List<Pattern> ignored) {
        var kept = new StringBuilder(query.length());
        for (String parameter : query.substring(1).split("&", -1)) {
            int equals = parameter.indexOf('=');
            String name = equals < 0 ? parameter : parameter.substring(0, equals);
            if (ignored.stream().noneMatch(pattern -> pattern.matcher(name).matches())) {
                kept.append(kept.isEmpty() ? '?' : '&').append(parameter);
            }
        }
        return kept.toString();
    }

    /**
     * Returns the URL of an absolute URI without a fragment.
     *
     * @throws IllegalArgumentException if it is none
     */
    static String parse(String uri, List<Pattern> ignored) {
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

    private static String of(URI uri, List<Pattern> ignored) {
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
    static String sameOrigin(String base, String reference, List<Pattern> ignored) {
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

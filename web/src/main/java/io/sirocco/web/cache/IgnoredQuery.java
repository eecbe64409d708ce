// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import java.util.List;
import java.util.regex.Pattern;

/** Names of query parameters that are no part of the cache key. Immutable. */
final class IgnoredQuery {
    private final List<String> names;
    private final List<Pattern> patterns;

    /**
     * @param names in which {@code *} stands for any characters
     */
    IgnoredQuery(List<String> names) {
        this.names = names;
        this.patterns = names.stream().map(IgnoredQuery::pattern).toList();
    }

    private static Pattern pattern(String name) {
        return Pattern.compile("\\Q" + name.replace("*", "\\E.*\\Q") + "\\E", Pattern.DOTALL);
    }

    /** Returns a query with its question mark, or nothing, without the ignored parameters. */
    String filter(String query) {
        if (patterns.isEmpty() || query.isEmpty()) {
            return query;
        }
        var kept = new StringBuilder(query.length());
        for (String parameter : query.substring(1).split("&", -1)) {
            int equals = parameter.indexOf('=');
            String name = equals < 0 ? parameter : parameter.substring(0, equals);
            if (patterns.stream().noneMatch(pattern -> pattern.matcher(name).matches())) {
                kept.append(kept.isEmpty() ? '?' : '&').append(parameter);
            }
        }
        return kept.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IgnoredQuery that && names.equals(that.names);
    }

    @Override
    public int hashCode() {
        return names.hashCode();
    }
}

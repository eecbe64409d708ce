// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import java.util.List;
import java.util.regex.Pattern;

/** A list of names in which {@code *} stands for any characters: {@code utm_*}. Immutable. */
final class NamePatterns {
    private final List<String> names;
    private final List<Pattern> patterns;

    /**
     * @param names in which {@code *} stands for any characters
     */
    NamePatterns(List<String> names) {
        this(names, Pattern.DOTALL);
    }

    private NamePatterns(List<String> names, int flags) {
        this.names = names;
        this.patterns = names.stream().map(name -> pattern(name, flags)).toList();
    }

    /** Returns patterns that names match in any case. */
    static NamePatterns ignoringCase(List<String> names) {
        return new NamePatterns(names, Pattern.DOTALL | Pattern.CASE_INSENSITIVE);
    }

    private static Pattern pattern(String name, int flags) {
        return Pattern.compile("\\Q" + name.replace("*", "\\E.*\\Q") + "\\E", flags);
    }

    boolean isEmpty() {
        return patterns.isEmpty();
    }

    /** Returns whether one of them matches a name. */
    boolean matches(String name) {
        for (Pattern pattern : patterns) {
            if (pattern.matcher(name).matches()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns a query with its question mark, or nothing, without the parameters of these names.
     */
    String without(String query) {
        if (patterns.isEmpty() || query.isEmpty()) {
            return query;
        }
        var kept = new StringBuilder(query.length());
        for (String parameter : query.substring(1).split("&", -1)) {
            int equals = parameter.indexOf('=');
            String name = equals < 0 ? parameter : parameter.substring(0, equals);
            if (!matches(name)) {
                kept.append(kept.isEmpty() ? '?' : '&').append(parameter);
            }
        }
        return kept.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NamePatterns that && names.equals(that.names);
    }

    @Override
    public int hashCode() {
        return names.hashCode();
    }
}

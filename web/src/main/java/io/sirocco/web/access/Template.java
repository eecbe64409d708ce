// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Percent;
import io.sirocco.http.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text with places for what the path of a request has in {@code {name}} and {@code *}: {@code
 * /articles/{title}.html}, {@code /new/{*}}. What is put there is percent-encoded, with its slashes
 * where it is {@code {*}}, so it can neither end the text nor begin a query. Immutable.
 */
final class Template {
    private static final Pattern PLACE = Pattern.compile("\\{([^{}]*)}");
    private static final Pattern PARAMETER = Pattern.compile("\\{([\\w-]+)}|(\\*)$");
    private static final String REST = "*";

    private final List<Object> parts; // String or Place

    private record Place(String name) {}

    private Template(List<Object> parts) {
        this.parts = parts;
    }

    /**
     * Reads one.
     *
     * @param path the pattern of the route, which says what there is to be put in
     * @throws IllegalArgumentException for a place that the path does not have
     */
    static Template parse(String path, String text) {
        var known = new TreeSet<String>();
        for (Matcher m = PARAMETER.matcher(path); m.find(); ) {
            known.add(m.group(1) == null ? REST : m.group(1));
        }
        var parts = new ArrayList<Object>();
        int end = 0;
        for (Matcher m = PLACE.matcher(text); m.find(); end = m.end()) {
            if (!known.contains(m.group(1))) {
                throw new IllegalArgumentException(
                        "\""
                                + text
                                + "\" has "
                                + m.group()
                                + ", which the path \""
                                + path
                                + "\" does not; "
                                + remedy(known));
            }
            parts.add(text.substring(end, m.start()));
            parts.add(new Place(m.group(1)));
        }
        parts.add(text.substring(end));
        parts.removeIf(""::equals);
        for (Object part : parts) {
            if (part instanceof String s && (s.indexOf('{') >= 0 || s.indexOf('}') >= 0)) {
                throw new IllegalArgumentException(
                        "\"" + text + "\" has a brace without the other; write {name} or {*}.");
            }
        }
        return new Template(List.copyOf(parts));
    }

    private static String remedy(TreeSet<String> known) {
        return known.isEmpty()
                ? "the path has nothing to be put in."
                : "write one of {" + String.join("}, {", known) + "}.";
    }

    /** Whether nothing is put in. */
    boolean constant() {
        return parts.stream().noneMatch(Place.class::isInstance);
    }

    /** The text up to the first place. */
    String beginning() {
        return !parts.isEmpty() && parts.getFirst() instanceof String text ? text : "";
    }

    String fill(Request request) {
        var out = new StringBuilder();
        for (Object part : parts) {
            switch (part) {
                case Place(String name) when name.equals(REST) ->
                        out.append(Percent.encodePath(request.param(name)));
                case Place(String name) -> out.append(Percent.encode(request.param(name)));
                default -> out.append(part);
            }
        }
        return out.toString();
    }
}

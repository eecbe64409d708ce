// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Percent;
import io.sirocco.http.Request;
import io.sirocco.http.Routes;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A string with placeholders for what the path of a request has in {@code {name}} and {@code *}:
 * {@code /articles/{title}.html}, {@code /new/{*}}. Values are percent-encoded, except for slashes
 * in {@code {*}}, so a value can neither end the string nor begin a query. Immutable.
 */
final class Template {
    private static final Pattern PLACE = Pattern.compile("\\{([^{}]*)}");
    private static final String REST = "*";

    private final List<Part> parts;

    private sealed interface Part {
        /** Is there as it stands. */
        record Text(String text) implements Part {}

        /** Takes what the path has under this name. */
        record Place(String name) implements Part {}
    }

    private Template(List<Part> parts) {
        this.parts = parts;
    }

    /**
     * Reads one.
     *
     * @param path the pattern of the route, which says what there is to be put in
     * @throws IllegalArgumentException for a place that the path does not have
     */
    static Template parse(String path, String text) {
        var known = new TreeSet<>(Routes.parameters(path));
        var parts = new ArrayList<Part>();
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
            parts.add(plain(text, end, m.start()));
            parts.add(new Part.Place(m.group(1)));
        }
        parts.add(plain(text, end, text.length()));
        return new Template(List.copyOf(parts));
    }

    private static Part plain(String whole, int from, int to) {
        String text = whole.substring(from, to);
        if (text.indexOf('{') >= 0 || text.indexOf('}') >= 0) {
            throw new IllegalArgumentException(
                    "\"" + whole + "\" has a brace without the other; write {name} or {*}.");
        }
        return new Part.Text(text);
    }

    private static String remedy(TreeSet<String> known) {
        return known.isEmpty()
                ? "the path has nothing to be put in."
                : "write one of {" + String.join("}, {", known) + "}.";
    }

    /** Returns whether nothing is put in. */
    boolean constant() {
        return parts.size() == 1;
    }

    /** The text up to the first place. */
    String beginning() {
        return parts.getFirst() instanceof Part.Text(String text) ? text : "";
    }

    String fill(Request request) {
        var out = new StringBuilder();
        for (Part part : parts) {
            out.append(
                    switch (part) {
                        case Part.Text(String text) -> text;
                        case Part.Place(String name) when name.equals(REST) ->
                                Percent.encodePath(request.param(name));
                        case Part.Place(String name) -> Percent.encode(request.param(name));
                    });
        }
        return out.toString();
    }
}

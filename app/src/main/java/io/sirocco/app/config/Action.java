// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a route does. Immutable. */
public sealed interface Action {

    /** Serves {@link Files}. */
    record Serve() implements Action {}

    /**
     * Sends the client elsewhere.
     *
     * @param to a path or a URL, with {@code {name}} and {@code {*}} of the route's path
     * @param status 301, 302, 303, 307 or 308
     */
    record Redirect(String to, int status) implements Action {}

    /** Answers with another file; {@code to} is a path with {@code {name}} and {@code {*}}. */
    record Rewrite(String to) implements Action {
        @Override
        public String toString() {
            return to;
        }
    }

    /** Answers with a text. */
    record Respond(int status, String text) implements Action {}

    /** Reads what a route does, whose path has these parameters. */
    static Action read(Table table, Set<String> parameters) {
        Optional<Action> redirect = table.inline("redirect", inner -> redirect(inner, parameters));
        Optional<Action> rewrite =
                table.value("rewrite", Values.text(to -> new Rewrite(page(to, parameters))));
        Optional<Action> respond = table.inline("respond", Action::respond);
        List<String> set = Stream.of("redirect", "rewrite", "respond").filter(table::sets).toList();
        if (set.size() > 1) {
            table.error(
                    set.getLast(),
                    "a route does one thing: it has both \"%s\" and \"%s\""
                            .formatted(set.getFirst(), set.getLast()),
                    "leave one out");
        }
        return redirect.or(() -> rewrite).or(() -> respond).orElse(new Serve());
    }

    private static Redirect redirect(Table table, Set<String> parameters) {
        String to =
                table.needed(
                        "to",
                        Node.of("/"),
                        "to = \"/new\"",
                        Values.text(text -> target(text, parameters)));
        long status = table.value("status", Node.of(308), Action::redirection);
        return new Redirect(to, (int) status);
    }

    private static long redirection(Node node) throws Unfit {
        if (node instanceof Node.Whole(long status, _)
                && List.of(301L, 302L, 303L, 307L, 308L).contains(status)) {
            return status;
        }
        throw new Unfit(
                "is no status of a redirect",
                "write 308, or 307 for the time being; or 301, 302, 303");
    }

    private static Respond respond(Table table) {
        return new Respond(
                table.whole("status", 200, 200, 599), table.text("text", "", text -> text));
    }

    private static String page(String text, Set<String> parameters) throws Unfit {
        if (text.isEmpty()) throw new Unfit("names no file", "");
        return filled(Texts.page(text), parameters);
    }

    private static String target(String text, Set<String> parameters) throws Unfit {
        if (!text.matches("(?i)/.*|https?://[^/].*")) {
            throw new Unfit(
                    "is no target: \"" + text + "\"",
                    "write a path, \"/new\", or a URL, \"https://example.org/new\"");
        }
        return filled(Texts.fieldValue(text), parameters);
    }

    /** Every name in braces must be one that the path has. */
    private static String filled(String text, Set<String> parameters) throws Unfit {
        Matcher names = Pattern.compile("\\{([^{}/]*)}").matcher(text);
        while (names.find()) {
            if (!parameters.contains(names.group(1))) {
                throw new Unfit(
                        "has " + names.group() + ", which is not in the path",
                        parameters.isEmpty()
                                ? "the path has neither a {name} nor a *"
                                : "the path has {" + String.join("}, {", parameters) + "}");
            }
        }
        return text;
    }
}

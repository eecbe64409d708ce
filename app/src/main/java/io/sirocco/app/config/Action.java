// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The action of a route. Immutable. */
public sealed interface Action
        permits Action.Serve, Action.Redirect, Action.Rewrite, Action.Respond, Proxy {

    /** Serves {@link Files}. */
    record Serve() implements Action {}

    /**
     * Redirects the client.
     *
     * @param to a path or a URL, with {@code {name}} and {@code {*}} of the route's path
     * @param status 301, 302, 303, 307 or 308
     */
    record Redirect(String to, int status) implements Action {}

    /** Responds with another file; {@code to} is a path with {@code {name}} and {@code {*}}. */
    record Rewrite(String to) implements Action {
        @Override
        public String toString() {
            return to;
        }
    }

    /** Responds with a string. */
    record Respond(int status, String text) implements Action {}

    /** Reads the action of a route whose path has these parameters. */
    static Action read(Table table, Set<String> parameters) {
        Optional<Action> redirect = table.inline("redirect", inner -> redirect(inner, parameters));
        boolean forwards = table.sets("proxy");
        Optional<Rewrite> rewrite =
                table.value(
                        "rewrite",
                        Values.text(
                                to ->
                                        new Rewrite(
                                                forwards
                                                        ? forwarded(to, parameters)
                                                        : page(to, parameters))));
        Optional<Action> respond = table.inline("respond", Action::respond);
        Optional<Proxy> proxy = table.inlineOrText("proxy", "to", Proxy::read);
        List<String> set =
                Stream.of("redirect", forwards ? "" : "rewrite", "respond", "proxy")
                        .filter(table::sets)
                        .toList();
        if (set.size() > 1) {
            table.error(
                    set.getLast(),
                    "a route has one action, not both \"%s\" and \"%s\""
                            .formatted(set.getFirst(), set.getLast()),
                    "remove one of them");
        }
        if (proxy.isPresent() && rewrite.isPresent()) {
            return rewritten(table, proxy.get(), rewrite.get());
        }
        return redirect.or(() -> rewrite).or(() -> respond).or(() -> proxy).orElse(new Serve());
    }

    private static Proxy rewritten(Table table, Proxy proxy, Rewrite rewrite) {
        if (!proxy.strip().isEmpty() || !proxy.prefix().isEmpty()) {
            table.error(
                    "rewrite",
                    "\"rewrite\" replaces the path, so \"strip\" and \"prefix\" have no effect",
                    "write the whole path in \"rewrite\", and remove them from \"proxy\"");
        }
        return proxy.rewritten(rewrite.to());
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

    private static long redirection(Node node) {
        if (node instanceof Node.Whole(long status, _)
                && List.of(301L, 302L, 303L, 307L, 308L).contains(status)) {
            return status;
        }
        throw new ConfigError(
                "is not a redirect status",
                "write 308, or 307 for a temporary one; 301, 302 and 303 are allowed, too");
    }

    private static Respond respond(Table table) {
        return new Respond(
                table.whole("status", 200, 200, 599), table.text("text", "", text -> text));
    }

    private static String page(String text, Set<String> parameters) {
        if (text.isEmpty())
            throw new ConfigError("is empty", "name a file such as \"/index.html\"");
        return filled(Texts.page(text), parameters);
    }

    private static String forwarded(String text, Set<String> parameters) {
        if (!text.matches("/[\\x21-\\x7e&&[^#]]*")) {
            throw new ConfigError(
                    "is not a path: \"" + text + "\"",
                    "begin with / and percent-encode the rest; a query is allowed");
        }
        return filled(text, parameters);
    }

    private static String target(String text, Set<String> parameters) {
        if (!text.matches("(?i)/.*|https?://[^/].*")) {
            throw new ConfigError(
                    "is not a redirect target: \"" + text + "\"",
                    "write a path such as \"/new\", or a URL such as \"https://example.org/new\"");
        }
        return filled(Texts.fieldValue(text), parameters);
    }

    /** Checks that every name in braces is a parameter of the path. */
    private static String filled(String text, Set<String> parameters) {
        Matcher names = Pattern.compile("\\{([^{}/]*)}").matcher(text);
        while (names.find()) {
            if (!parameters.contains(names.group(1))) {
                throw new ConfigError(
                        "has " + names.group() + ", which is not in the path",
                        parameters.isEmpty()
                                ? "the path has neither a {name} nor a *"
                                : "the path has {" + String.join("}, {", parameters) + "}");
            }
        }
        return text;
    }
}

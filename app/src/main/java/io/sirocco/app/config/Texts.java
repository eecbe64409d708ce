// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.http.Headers;
import io.sirocco.http.MediaType;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** How texts of a file become values, or why they do not. */
final class Texts {

    /** Makes a value of a node. */
    interface Reader<T> {
        T read(Node node) throws Unfit;
    }

    /** Makes a value of a text. */
    interface Words<T> {
        T read(String text) throws Unfit;
    }

    private Texts() {}

    static String text(Node node) throws Unfit {
        if (node instanceof Node.Text(String text, _)) return text;
        String hint = "put it in \"quotes\"";
        throw new Unfit(
                "must be a text, not " + node.kind(),
                node instanceof Node.Items || node instanceof Node.Fields ? "" : hint);
    }

    static <T> Reader<T> text(Words<T> words) {
        return node -> words.read(text(node));
    }

    /** One of some words, each of which stands for a value. */
    static <T> Reader<T> oneOf(List<T> values, Function<T, String> label) {
        Map<String, T> byLabel = values.stream().collect(Collectors.toMap(label, value -> value));
        List<String> labels = values.stream().map(label).toList();
        return node -> {
            String text = text(node);
            T value = byLabel.get(text);
            if (value != null) return value;
            throw new Unfit(
                    "cannot be \"" + text + "\"",
                    Nearest.to(text, labels)
                            .map(near -> "did you mean \"" + near + "\"?")
                            .orElse("write " + choices(labels)));
        };
    }

    static Reader<String> oneOf(List<String> words) {
        return oneOf(words, word -> word);
    }

    static <E extends Enum<E>> Reader<E> oneOf(Class<E> type) {
        return oneOf(Arrays.asList(type.getEnumConstants()), Texts::label);
    }

    /** The word for a constant in the file. */
    static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static String choices(List<String> labels) {
        List<String> quoted = labels.stream().map(label -> '"' + label + '"').toList();
        if (quoted.size() == 1) return quoted.getFirst();
        int last = quoted.size() - 1;
        return String.join(", ", quoted.subList(0, last)) + " or " + quoted.get(last);
    }

    /** The value of a header field, RFC 9110 5.5; may be empty. */
    static String fieldValue(String text) throws Unfit {
        return fieldValue("X-Any", text);
    }

    static String fieldValue(String name, String text) throws Unfit {
        try {
            Headers.of(name, text);
            return text;
        } catch (IllegalArgumentException e) {
            throw new Unfit("cannot stand in a header: \"" + text + "\"", e.getMessage());
        }
    }

    /** The path of a page, as a browser asks for it; empty for none. */
    static String page(String text) throws Unfit {
        if (!text.isEmpty() && !text.startsWith("/")) {
            throw new Unfit("does not begin with /: \"" + text + "\"", "write \"/" + text + "\"");
        }
        return fieldValue(text);
    }

    /** Empty for none. */
    static String charset(String text) throws Unfit {
        try {
            if (text.isEmpty() || Charset.isSupported(text)) return text;
        } catch (IllegalCharsetNameException e) {
            // as any other name that is not known
        }
        throw new Unfit("is no known charset: \"" + text + "\"", "write \"utf-8\"");
    }

    static String mediaType(String text) throws Unfit {
        if (MediaType.parse(text).isPresent()) return fieldValue(text);
        throw new Unfit("is no media type: \"" + text + "\"", "write such as \"text/plain\"");
    }

    /** A media type, or {@code text/*} for all of a kind. */
    static String mediaRange(String text) throws Unfit {
        if (text.endsWith("/*")) {
            mediaType(text.substring(0, text.length() - 1) + "x");
            return text;
        }
        return mediaType(text);
    }

    /** A name in a header, RFC 9110 5.6.2. */
    static String token(String text) throws Unfit {
        if (text.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")) return text;
        throw new Unfit("cannot be \"" + text + "\"", "a name has no spaces and no brackets");
    }

    /** What the router has against a pattern: "The path pattern "x" is so; do that." */
    static Unfit refused(String text, IllegalArgumentException e) {
        String[] parts = e.getMessage().replaceFirst("\\.$", "").split("; ", 2);
        int subject = ("The path pattern \"" + text + "\" ").length(); // "host" is as long
        return new Unfit(
                "cannot be \"" + text + "\": it " + parts[0].substring(subject),
                parts.length > 1 ? parts[1] : "");
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.http.Headers;
import io.sirocco.http.MediaType;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.util.Locale;
import java.util.Set;

/** What texts may say: each check answers the text, or throws what is wrong with it. */
final class Texts {

    /** Makes a value of a text. */
    interface Words<T> {
        T read(String text) throws Unfit;
    }

    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

    /** Whoever sets one of these makes responses that cannot be told apart. */
    private static final Set<String> OF_THE_CONNECTION =
            Set.of(
                    "connection",
                    "content-length",
                    "keep-alive",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade");

    private Texts() {}

    /** The value of a header field, RFC 9110 5.5; may be empty. */
    static String fieldValue(String text) throws Unfit {
        try {
            Headers.of("X-Any", text);
            return text;
        } catch (IllegalArgumentException e) {
            throw new Unfit(
                    "cannot stand in a header: \"" + text + "\"",
                    "it has a control character, or one above U+00FF");
        }
    }

    /** A field of a header. */
    static void field(String name, String value) throws Unfit {
        if (!name.matches(TOKEN)) {
            throw new Unfit("is no name of a header", "a name has no spaces and no brackets");
        }
        if (OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
            throw new Unfit("is for the server to say", "it frames the response: leave it out");
        }
        fieldValue(value);
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
        if (text.matches(TOKEN)) return text;
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

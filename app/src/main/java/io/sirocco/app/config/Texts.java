// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.http.Headers;
import io.sirocco.http.MediaType;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.util.Locale;
import java.util.Set;

/** Checks strings: each check returns the string or throws the reason why it is not valid. */
final class Texts {

    /** Converts a string to a value. */
    interface Words<T> {
        T read(String text);
    }

    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

    /** Headers that frame messages: setting one would corrupt the connection. */
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

    /** Checks the value of a header, RFC 9110 5.5, which may be empty. */
    static String fieldValue(String text) {
        try {
            Headers.of("X-Any", text);
            return text;
        } catch (IllegalArgumentException e) {
            throw new ConfigError(
                    "is not allowed in a header: \"" + text + "\"",
                    "it contains a control character, or one above U+00FF");
        }
    }

    /** Checks the name and value of a header. */
    static void field(String name, String value) {
        if (!name.matches(TOKEN)) {
            throw new ConfigError("is not a header name", "a name has no spaces and no brackets");
        }
        if (OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
            throw new ConfigError("is set by the server", "remove it: it frames the response");
        }
        fieldValue(value);
    }

    /** Checks the path of a page; empty for none. */
    static String page(String text) {
        if (!text.isEmpty() && !text.startsWith("/")) {
            throw new ConfigError("must begin with /: \"" + text + "\"", "write \"/" + text + "\"");
        }
        return fieldValue(text);
    }

    /** Checks the name of a charset; empty for none. */
    static String charset(String text) {
        try {
            if (text.isEmpty() || Charset.isSupported(text)) return text;
        } catch (IllegalCharsetNameException e) {
            // like any other unknown name
        }
        throw new ConfigError("is not a known charset: \"" + text + "\"", "write \"utf-8\"");
    }

    static String mediaType(String text) {
        if (MediaType.parse(text).isPresent()) return fieldValue(text);
        throw new ConfigError(
                "is not a media type: \"" + text + "\"", "write one such as \"text/plain\"");
    }

    /** Checks a media type, or a range such as {@code text/*}. */
    static String mediaRange(String text) {
        if (text.endsWith("/*")) {
            mediaType(text.substring(0, text.length() - 1) + "x");
            return text;
        }
        return mediaType(text);
    }

    /** Checks a token, RFC 9110 5.6.2. */
    static String token(String text) {
        if (text.matches(TOKEN)) return text;
        throw new ConfigError("cannot be \"" + text + "\"", "a name has no spaces and no brackets");
    }

    /** Converts the message of the router: "The path pattern "x" has this error; do that." */
    static ConfigError refused(String text, IllegalArgumentException e) {
        String[] parts = e.getMessage().replaceFirst("\\.$", "").split("; ", 2);
        int subject = ("The path pattern \"" + text + "\" ").length(); // "host" is as long
        return new ConfigError(
                "cannot be \"" + text + "\": it " + parts[0].substring(subject),
                parts.length > 1 ? parts[1] : "");
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.body.MultipartParser;
import io.sirocco.http.message.Grammar;
import io.sirocco.http.message.ParameterList;
import java.nio.charset.Charset;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A media type, such as {@code text/html; charset=utf-8} (RFC 9110 8.3.1). Immutable.
 *
 * @param type the type, in lower case if parsed
 * @param subtype the subtype, in lower case if parsed
 * @param parameters the parameters in order: names in lower case if parsed, values as sent
 */
public record MediaType(String type, String subtype, Map<String, String> parameters) {

    /**
     * Copies the parameters.
     *
     * @throws IllegalArgumentException if the type, the subtype or the name of a parameter is not a
     *     token
     */
    public MediaType {
        parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
        if (!Grammar.isToken(type)
                || !Grammar.isToken(subtype)
                || !parameters.keySet().stream().allMatch(Grammar::isToken)) {
            throw new IllegalArgumentException(
                    "A media type is type/subtype; name=value, each name of letters and digits.");
        }
    }

    /**
     * Parses a {@code Content-Type}. Lenient about parameters: malformed ones are skipped, and the
     * first of a name wins. Empty if there is no {@code type/subtype}.
     */
    public static Optional<MediaType> parse(String text) {
        int semicolon = text.indexOf(';');
        int end = semicolon < 0 ? text.length() : semicolon;
        String name = Grammar.trim(text.substring(0, end)).toLowerCase(Locale.ROOT);
        int slash = name.indexOf('/');
        if (slash < 0
                || !Grammar.isToken(name.substring(0, slash))
                || !Grammar.isToken(name.substring(slash + 1))) {
            return Optional.empty();
        }
        return Optional.of(
                new MediaType(
                        name.substring(0, slash),
                        name.substring(slash + 1),
                        ParameterList.parse(text, end, true)));
    }

    /** Returns the type and subtype without parameters: {@code text/html}. */
    public String essence() {
        return type + "/" + subtype;
    }

    /**
     * Returns whether the type and subtype equal {@code essence}, which must be in lower case:
     * {@code is("application/json")}.
     */
    public boolean is(String essence) {
        return essence().equals(essence);
    }

    /**
     * Returns the value of a parameter.
     *
     * @param name the name in lower case
     */
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    /** Returns the charset, if there is one that this JVM supports. */
    public Optional<Charset> charset() {
        return parameter("charset")
                .flatMap(
                        name -> {
                            try {
                                return Optional.of(Charset.forName(name));
                            } catch (IllegalArgumentException unknown) {
                                return Optional.empty();
                            }
                        });
    }

    /** Returns the charset, or {@code otherwise} if there is none that this JVM supports. */
    public Charset charset(Charset otherwise) {
        return charset().orElse(otherwise);
    }

    /** Returns the boundary of a multipart type, if it is valid (RFC 2046 5.1.1). */
    public Optional<String> boundary() {
        return parameter("boundary").filter(MultipartParser::isBoundary);
    }

    /** Returns the media type as the value of a header. Values that are not tokens are quoted. */
    @Override
    public String toString() {
        var text = new StringBuilder(essence());
        parameters.forEach((name, value) -> append(text, name, value));
        return text.toString();
    }

    private static void append(StringBuilder text, String name, String value) {
        text.append("; ").append(name).append('=');
        if (Grammar.isToken(value)) {
            text.append(value);
        } else {
            text.append('"').append(value.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
        }
    }
}

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
 * A media type, such as {@code text/html; charset=utf-8} (RFC 9110 8.3.1): type, subtype and the
 * names of the parameters in lower case, the values as they were sent. Immutable.
 */
public record MediaType(String type, String subtype, Map<String, String> parameters) {

    /**
     * Keeps a copy of the parameters, in their order.
     *
     * @throws IllegalArgumentException when a type, a subtype or a parameter's name is no token
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
     * Reads a {@code Content-Type}. Lenient about the parameters: what is malformed is skipped, and
     * the first of two with one name wins. Empty when there is no {@code type/subtype} at all.
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

    /** Type and subtype without parameters: {@code text/html}. */
    public String essence() {
        return type + "/" + subtype;
    }

    /** Whether type and subtype are these, in lower case: {@code is("application/json")}. */
    public boolean is(String essence) {
        return essence().equals(essence);
    }

    /** The value of a parameter; the name in lower case. */
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    /** The charset, when one is named and this JVM knows it. */
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

    /** The charset, or the other one when none is named or the named one is unknown. */
    public Charset charset(Charset otherwise) {
        return charset().orElse(otherwise);
    }

    /** What separates the parts of a multipart body, when it is a valid one (RFC 2046 5.1.1). */
    public Optional<String> boundary() {
        return parameter("boundary").filter(MultipartParser::isBoundary);
    }

    /** As it stands in a header; values that are no tokens are quoted. */
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

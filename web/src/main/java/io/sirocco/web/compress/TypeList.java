// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.compress;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Media types, such as {@code application/json}, {@code text/*} or {@code *}{@code /*}. Immutable.
 */
public final class TypeList {
    /** What is text in one form or another, and has not been compressed by its own format. */
    public static final TypeList COMPRESSIBLE =
            of(
                    List.of(
                            "text/*",
                            "application/json",
                            "application/javascript",
                            "application/xml",
                            "application/manifest+json",
                            "application/wasm",
                            "application/rss+xml",
                            "application/atom+xml",
                            "image/svg+xml",
                            "font/ttf",
                            "font/otf"));

    private final List<String> written;
    private final Set<String> types;

    private TypeList(List<String> written, Set<String> types) {
        this.written = written;
        this.types = types;
    }

    /**
     * Types as they are written, in any case.
     *
     * @throws IllegalArgumentException when one of them has no slash
     */
    public static TypeList of(List<String> types) {
        var set = new HashSet<String>();
        for (String type : types) {
            if (type.indexOf('/') < 1) {
                throw new IllegalArgumentException(
                        "\"" + type + "\" is no media type; write text/html or text/*.");
            }
            set.add(type.strip().toLowerCase(Locale.ROOT));
        }
        return new TypeList(List.copyOf(types), Set.copyOf(set));
    }

    /** Returns them as they were written, in order. */
    public List<String> types() {
        return written;
    }

    /** Returns whether a {@code Content-Type}, with or without parameters, is one of them. */
    public boolean has(String contentType) {
        int end = contentType.indexOf(';');
        String type = end < 0 ? contentType : contentType.substring(0, end);
        type = type.strip().toLowerCase(Locale.ROOT);
        int slash = type.indexOf('/');
        return types.contains(type)
                || slash > 0 && types.contains(type.substring(0, slash + 1) + "*")
                || types.contains("*/*");
    }
}

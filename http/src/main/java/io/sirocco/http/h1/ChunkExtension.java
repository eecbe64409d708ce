// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import io.sirocco.http.message.Octets;

/**
 * Checks chunk extensions, which nobody uses but to hide a line end from one of two readers: RFC
 * 9112 7.1.1. They are read byte for byte and forgotten.
 *
 * <pre>
 * chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
 *
 *        ";"              tchar         "="               tchar
 * SPACE ----> NAME_START ------> NAME -----> VALUE_START ------> VALUE --- CR, BWS, ";"
 *                                 | BWS    ^   | DQUOTE
 *                                 v     "=" |   v        DQUOTE
 *                            NAME_SPACE ----' QUOTED -----------> VALUE_END --- CR, BWS, ";"
 * </pre>
 *
 * CR may follow NAME, VALUE and VALUE_END; the other states still need something. Any thread.
 */
enum ChunkExtension {
    /** Whitespace behind a size or a value. */
    SPACE,
    NAME_START,
    NAME,
    NAME_SPACE,
    VALUE_START,
    VALUE,
    QUOTED,
    /** Behind a backslash in a quoted string. */
    PAIR,
    VALUE_END,
    /** No extension. */
    BROKEN;

    /** Returns whether the chunk line may end here. */
    boolean mayEnd() {
        return this == NAME || this == VALUE || this == VALUE_END;
    }

    /** The state behind one more byte. */
    ChunkExtension next(byte c) {
        boolean token = Octets.TOKEN[c & 0xFF];
        return switch (this) {
            case SPACE -> between(c, SPACE);
            case NAME_START -> token ? NAME : stay(c);
            case NAME -> token ? NAME : c == '=' ? VALUE_START : between(c, NAME_SPACE);
            case NAME_SPACE -> c == '=' ? VALUE_START : between(c, NAME_SPACE);
            case VALUE_START -> token ? VALUE : c == '"' ? QUOTED : stay(c);
            case VALUE -> token ? VALUE : between(c, SPACE);
            case QUOTED -> c == '"' ? VALUE_END : c == '\\' ? PAIR : text(c);
            case PAIR -> text(c);
            case VALUE_END -> between(c, SPACE);
            case BROKEN -> BROKEN;
        };
    }

    private ChunkExtension stay(byte c) {
        return Octets.space(c) ? this : BROKEN;
    }

    private static ChunkExtension between(byte c, ChunkExtension space) {
        return c == ';' ? NAME_START : Octets.space(c) ? space : BROKEN;
    }

    private static ChunkExtension text(byte c) {
        return FieldParser.content(c) ? QUOTED : BROKEN;
    }
}

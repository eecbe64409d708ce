// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;

/**
 * Reads the text of a value that another controller has sent. Nothing of it is evaluated.
 *
 * <pre>
 *   value = "nil" | "true" | "false" | number | table | text
 *   table = "{" [ entry { "," entry } ] "}"      entry = [ key "=" ] item
 *   key   = name | number                       item  = table | string | word
 * </pre>
 *
 * A text that is no whole table is a string. Pure functions. Any thread.
 */
final class RemoteValue {
    private static final int MAX_DEPTH = 100;

    private final String text;
    private int at;
    private int depth;

    private RemoteValue(String text) {
        this.text = text;
    }

    /** Returns the value; the text itself as a string if it is nothing else. */
    static LuaValue parse(String text) {
        if (text.startsWith("{")) {
            var reader = new RemoteValue(text);
            LuaValue table = reader.table();
            return table != null && reader.at == text.length() ? table : string(text);
        }
        return word(text);
    }

    private static LuaValue word(String word) {
        return switch (word) {
            case "nil" -> LuaValue.NIL;
            case "true" -> LuaValue.TRUE;
            case "false" -> LuaValue.FALSE;
            default -> {
                LuaValue number = word.isEmpty() ? LuaValue.NIL : string(word).tonumber();
                yield number.isnil() ? string(word) : number;
            }
        };
    }

    private static LuaString string(String text) {
        return LuaString.valueUsing(text.getBytes(UTF_8));
    }

    /** Returns null for anything but a table. */
    private LuaTable table() {
        if (++depth > MAX_DEPTH) {
            return null;
        }
        var table = new LuaTable();
        at++; // the brace
        blanks();
        for (int next = 1; !at('}'); ) {
            int begin = at;
            String name = bare().strip();
            LuaValue key;
            if (!name.isEmpty() && at('=')) {
                at++;
                blanks();
                key = word(name);
            } else {
                at = begin;
                key = LuaValue.valueOf(next++);
            }
            LuaValue item = item();
            if (item == null || key.isnil()) {
                return null;
            }
            table.set(key, item);
            blanks();
            if (at(',')) {
                at++;
                blanks();
            } else if (!at('}')) {
                return null;
            }
        }
        at++;
        depth--;
        return table;
    }

    /** Returns null if there is none. */
    private LuaValue item() {
        if (at('{')) {
            return table();
        }
        if (at('"')) {
            return quoted();
        }
        String word = bare();
        return word.isEmpty() ? null : word(word.strip());
    }

    private LuaValue quoted() {
        var content = new StringBuilder();
        for (at++; at < text.length(); at++) {
            char next = text.charAt(at);
            if (next == '"') {
                at++;
                return string(content.toString());
            }
            if (next == '\\' && at + 1 < text.length()) {
                next = text.charAt(++at);
            }
            content.append(next);
        }
        return null;
    }

    /** Returns the text up to the next separator or quote. */
    private String bare() {
        int begin = at;
        while (at < text.length() && ",={}\"".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return text.substring(begin, at);
    }

    private boolean at(char sign) {
        return at < text.length() && text.charAt(at) == sign;
    }

    private void blanks() {
        while (at(' ')) {
            at++;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import java.util.Locale;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * The text of Lua values in responses and reports. A table in a table is written like its parent,
 * down to the eighth level; a text never exceeds 60,000 characters. Immutable.
 */
final class ValueText {
    /** A response must fit a datagram. */
    static final int MAX_LENGTH = 60_000;

    private static final int MAX_LEVELS = 8;

    private ValueText() {}

    /**
     * Returns the text of a response: strings are raw, those in tables have quotes: {@code
     * {1="a"}}.
     *
     * @throws LuaError if it is too long
     */
    static String of(LuaValue value) {
        if (!value.istable()) {
            return limited(NumberText.of(value));
        }
        StringBuilder text = new StringBuilder();
        table(value, text, 1);
        return text.toString();
    }

    /** Returns the text of a value in a report. */
    static String inReport(LuaValue value, ReportForm form) {
        if (form == ReportForm.PLAIN) {
            return of(value);
        }
        if (value.type() == LuaValue.TSTRING) {
            return limited(quoted(value.tojstring()));
        }
        if (value.type() == LuaValue.TNUMBER && !value.islong()) {
            double number = value.todouble();
            return Double.isFinite(number)
                    ? String.format(Locale.ROOT, "%.2f", number)
                    : value.tojstring();
        }
        return of(value);
    }

    private static void table(LuaValue table, StringBuilder text, int level) {
        text.append('{');
        String separator = "";
        for (Varargs entry = table.next(LuaValue.NIL);
                !entry.arg1().isnil();
                entry = table.next(entry.arg1())) {
            text.append(separator).append(NumberText.of(entry.arg1())).append('=');
            LuaValue value = entry.arg(2);
            if (!value.istable()) {
                String own = NumberText.of(value);
                text.append(value.type() == LuaValue.TSTRING ? quoted(own) : own);
            } else if (level < MAX_LEVELS) {
                table(value, text, level + 1);
            } else {
                text.append("{...}");
            }
            limited(text);
            separator = ", ";
        }
        text.append('}');
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static <T extends CharSequence> T limited(T text) {
        if (text.length() > MAX_LENGTH) {
            throw new LuaError(
                    "the value is longer than " + MAX_LENGTH + " characters: return less");
        }
        return text;
    }
}

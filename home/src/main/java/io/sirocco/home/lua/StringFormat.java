// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import java.util.Locale;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * One call of {@code string.format} as Lua 5.2 has it: the directives {@code c d i o u x X e E f g
 * G q s %}, and {@code F}, with the flags, width and precision of C, each up to 99. Errors are
 * those of Lua. Used by one thread, that of the scripts.
 */
final class StringFormat {
    private static final String FLAGS = "-+ #0";
    private static final int MAX_FLAGS = 5;
    private static final double TWO_63 = 0x1p63;
    private static final double TWO_64 = 0x1p64;

    private final LuaString format;
    private final Varargs arguments;
    private final LimitHook limits;
    private final LuaStringBuilder result;
    private int at; // in the format
    private int argument = 1;

    // The directive that is written.
    private String flags = "";
    private int width;
    private int precision; // -1 for none

    private StringFormat(Varargs arguments, LimitHook limits) {
        this.format = arguments.checkstring(1);
        this.arguments = arguments;
        this.limits = limits;
        this.result = new LuaStringBuilder(limits, "string.format", format.length() + 16);
    }

    /** Returns the string that the format in the first argument makes of the others. */
    static LuaString of(Varargs arguments, LimitHook limits) {
        return new StringFormat(arguments, limits).write();
    }

    private LuaString write() {
        while (at < format.length()) {
            int c = format.luaByte(at++);
            if (c != '%') {
                result.add(c);
            } else if (peek() == '%') {
                at++;
                result.add('%');
            } else {
                argument++;
                if (argument > arguments.narg()) {
                    throw wrong("no value");
                }
                directive();
                limits.spend(1);
            }
        }
        return result.string();
    }

    private int peek() {
        return at < format.length() ? format.luaByte(at) : -1;
    }

    private void directive() {
        int start = at;
        while (peek() >= 0 && FLAGS.indexOf(peek()) >= 0) {
            at++;
        }
        if (at - start > MAX_FLAGS) {
            throw new LuaError("invalid format (repeated flags)");
        }
        flags = format.substring(start, at).tojstring();
        width = digits();
        precision = -1;
        if (peek() == '.') {
            at++;
            precision = digits();
        }
        if (isDigit(peek())) {
            throw new LuaError("invalid format (width or precision too long)");
        }
        int conversion = peek();
        at++;
        switch (conversion) {
            case 'c' -> pad(LuaString.valueOf(new byte[] {(byte) (long) number()}));
            case 'd', 'i' -> signed();
            case 'o', 'u', 'x', 'X' -> unsigned((char) conversion);
            case 'e', 'E', 'f', 'F', 'g', 'G' ->
                    add(new FloatFormat(flags, width, precision, (char) conversion).of(number()));
            case 'q' -> quote(text());
            case 's' -> {
                LuaString text = string();
                pad(
                        precision >= 0 && precision < text.length()
                                ? text.substring(0, precision)
                                : text);
            }
            default ->
                    throw new LuaError(
                            "invalid option '%"
                                    + (conversion < 0 ? "" : (char) conversion)
                                    + "' to 'format'");
        }
    }

    /** Returns a number of at most two digits. */
    private int digits() {
        int number = 0;
        for (int i = 0; i < 2 && isDigit(peek()); i++) {
            number = number * 10 + peek() - '0';
            at++;
        }
        return number;
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    private LuaError wrong(String why) {
        return new LuaError("bad argument #" + argument + " to 'format' (" + why + ")");
    }

    // Arguments

    private double number() {
        LuaValue value = arguments.arg(argument);
        if (!value.isnumber()) {
            throw wrong("number expected, got " + value.typename());
        }
        return value.todouble();
    }

    private LuaString text() {
        LuaValue value = arguments.arg(argument);
        if (!value.isstring()) {
            throw wrong("string expected, got " + value.typename());
        }
        return NumberText.string(value);
    }

    private LuaString string() {
        LuaValue value = arguments.arg(argument);
        LuaValue convert = value.metatag(LuaValue.TOSTRING);
        if (!convert.isnil()) {
            LuaValue text = convert.call(value);
            if (!text.isstring()) {
                throw new LuaError("'__tostring' must return a string");
            }
            return text.strvalue();
        }
        return value.isstring() ? NumberText.string(value) : LuaValue.valueOf(value.tojstring());
    }

    // Integers

    private void signed() {
        double number = number();
        if (!(number >= -TWO_63 && number < TWO_63)) {
            throw wrong("not a number in proper range");
        }
        String digits = Long.toString((long) number);
        boolean negative = digits.startsWith("-");
        String sign = negative ? "-" : flags.contains("+") ? "+" : flags.contains(" ") ? " " : "";
        integer(sign, negative ? digits.substring(1) : digits);
    }

    private void unsigned(char conversion) {
        double number = number();
        if (!(number > -1 && number < TWO_64)) {
            throw wrong("not a non-negative number in proper range");
        }
        long bits = number < TWO_63 ? (long) number : (long) (number - TWO_63) ^ Long.MIN_VALUE;
        boolean alternate = flags.contains("#");
        switch (conversion) {
            case 'u' -> integer("", Long.toUnsignedString(bits));
            case 'o' -> {
                String digits = Long.toOctalString(bits);
                if (alternate && bits != 0 && precision <= digits.length()) {
                    digits = "0" + digits;
                } else if (alternate && bits == 0 && precision == 0) {
                    precision = 1;
                }
                integer("", digits);
            }
            default -> {
                String digits = Long.toHexString(bits);
                boolean upper = conversion == 'X';
                integer(
                        alternate && bits != 0 ? "0" + conversion : "",
                        upper ? digits.toUpperCase(Locale.ROOT) : digits);
            }
        }
    }

    private void integer(String prefix, String value) {
        String digits = precision == 0 && value.equals("0") ? "" : value;
        int zeros = Math.max(0, precision - digits.length());
        if (precision < 0 && flags.contains("0") && !flags.contains("-")) {
            zeros = Math.max(0, width - prefix.length() - digits.length());
        }
        String text = prefix + "0".repeat(zeros) + digits;
        String spaces = " ".repeat(Math.max(0, width - text.length()));
        add(flags.contains("-") ? text + spaces : spaces + text);
    }

    // Strings

    private void add(String ascii) {
        for (int i = 0; i < ascii.length(); i++) {
            result.add(ascii.charAt(i));
        }
    }

    private void pad(LuaString text) {
        String spaces = " ".repeat(Math.max(0, width - text.length()));
        if (!flags.contains("-")) {
            add(spaces);
        }
        limits.spend(text.length() >> 4);
        result.add(text, 0, text.length());
        if (flags.contains("-")) {
            add(spaces);
        }
    }

    /** Writes a string as Lua reads it. */
    private void quote(LuaString text) {
        result.add('"');
        for (int i = 0; i < text.length(); i++) {
            int c = text.luaByte(i);
            if (c == '"' || c == '\\' || c == '\n') {
                result.add('\\');
                result.add(c);
            } else if (c < ' ' || c == 0x7f) {
                boolean digitFollows = i + 1 < text.length() && isDigit(text.luaByte(i + 1));
                add("\\" + (digitFollows ? "%03d".formatted(c) : Integer.toString(c)));
            } else {
                result.add(c);
            }
            if ((i & 1023) == 1023) {
                limits.spend(64);
            }
        }
        result.add('"');
    }
}

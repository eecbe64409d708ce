// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.VarArgFunction;

/**
 * The functions of library {@code string} that could run long or make long strings, within the
 * limits of a task. Used by one thread, that of the scripts.
 */
final class StringFunctions {
    private static final int MAX_BYTES_AS_VALUES = 100_000;
    private static final LuaString SPECIALS = LuaValue.valueOf("^$*+?.([%-");

    private final LimitHook limits;

    private StringFunctions(LimitHook limits) {
        this.limits = limits;
    }

    /** Replaces functions of LuaJ's library. */
    static void install(LuaTable library, LimitHook limits) {
        StringFunctions own = new StringFunctions(limits);
        own.set(library, "rep", own::repeat);
        own.set(library, "find", arguments -> own.find(arguments, true));
        own.set(library, "match", arguments -> own.find(arguments, false));
        own.set(library, "gmatch", own::allMatches);
        own.set(library, "gsub", own::substitute);
        library.set("format", function("format", arguments -> StringFormat.of(arguments, limits)));
        LuaValue bytes = library.get("byte");
        own.set(library, "byte", arguments -> own.bytes(bytes, arguments));
        for (String name : new String[] {"lower", "upper", "reverse", "len", "sub"}) {
            LuaValue function = library.get(name);
            own.set(
                    library,
                    name,
                    arguments -> {
                        limits.spend(arguments.checkstring(1).length() >> 5);
                        return function.invoke(arguments);
                    });
        }
    }

    private void set(LuaTable library, String name, Function function) {
        library.set(name, function(name, arguments -> function.call(withTexts(arguments))));
    }

    /** Returns arguments whose numbers with a fraction are strings. */
    private static Varargs withTexts(Varargs arguments) {
        for (int i = 1; i <= Math.min(3, arguments.narg()); i++) {
            if (NumberText.exact(arguments.arg(i)) != arguments.arg(i)) {
                var texts = new LuaValue[arguments.narg()];
                for (int at = 0; at < texts.length; at++) {
                    LuaValue value = arguments.arg(at + 1);
                    texts[at] = at < 3 ? NumberText.exact(value) : value;
                }
                return LuaValue.varargsOf(texts);
            }
        }
        return arguments;
    }

    /** A function in Java. */
    interface Function {
        Varargs call(Varargs arguments);
    }

    /** Returns a function for Lua. */
    static LuaValue function(String title, Function function) {
        return new VarArgFunction() {
            @Override
            public Varargs invoke(Varargs arguments) {
                return function.call(arguments);
            }

            @Override
            public String tojstring() {
                return "function: " + title;
            }
        };
    }

    private Varargs repeat(Varargs arguments) {
        LuaString text = arguments.checkstring(1);
        long count = Math.max(0, arguments.checklong(2));
        LuaString separator = arguments.optstring(3, LuaValue.EMPTYSTRING);
        if (count == 0 || (text.length() == 0 && separator.length() == 0)) {
            return LuaValue.EMPTYSTRING;
        }
        // Neither factor exceeds 2^31, so that the product cannot overflow.
        long length =
                Math.min(count, Integer.MAX_VALUE) * text.length()
                        + Math.min(count - 1, Integer.MAX_VALUE) * separator.length();
        limits.allow(length, "string.rep");
        byte[] bytes = new byte[(int) length];
        int at = 0;
        for (long i = 0; i < count; i++) {
            if (i > 0) {
                separator.copyInto(0, bytes, at, separator.length());
                at += separator.length();
            }
            text.copyInto(0, bytes, at, text.length());
            at += text.length();
        }
        return LuaString.valueUsing(bytes);
    }

    private Varargs bytes(LuaValue function, Varargs arguments) {
        int length = arguments.checkstring(1).length();
        long first = position(arguments.optint(2, 1), length);
        long last = position(arguments.optint(3, (int) first), length);
        long count = Math.min(last, length) - Math.max(first, 1) + 1;
        if (count > MAX_BYTES_AS_VALUES) {
            throw new LuaError("string slice too long: the limit is " + MAX_BYTES_AS_VALUES);
        }
        limits.spend(Math.max(0, count));
        return function.invoke(arguments);
    }

    /** Returns a position that counts from 1; a negative one counts from the end. */
    private static long position(int index, int length) {
        return index >= 0 ? index : Math.max(0, (long) length + index + 1);
    }

    private Varargs find(Varargs arguments, boolean positions) {
        LuaString text = arguments.checkstring(1);
        LuaString pattern = arguments.checkstring(2);
        long first = Math.max(1, position(arguments.optint(3, 1), text.length()));
        if (first > text.length() + 1) {
            return LuaValue.NIL;
        }
        int from = (int) first - 1;
        boolean plain = arguments.arg(4).toboolean() || pattern.indexOfAny(SPECIALS) < 0;
        if (positions && plain) {
            int found = indexOf(text, pattern, from);
            return found < 0
                    ? LuaValue.NIL
                    : LuaValue.varargsOf(
                            LuaValue.valueOf(found + 1),
                            LuaValue.valueOf(found + pattern.length()));
        }
        PatternMatcher matcher = new PatternMatcher(text, pattern, limits::spend);
        boolean anchored = pattern.length() > 0 && pattern.luaByte(0) == '^';
        for (int s = from; s <= text.length(); s++) {
            int end = matcher.match(s, anchored ? 1 : 0);
            if (end >= 0) {
                return positions
                        ? LuaValue.varargsOf(
                                LuaValue.valueOf(s + 1),
                                LuaValue.valueOf(end),
                                matcher.captures(s, end, false))
                        : matcher.captures(s, end, true);
            }
            if (anchored) {
                break;
            }
        }
        return LuaValue.NIL;
    }

    private int indexOf(LuaString text, LuaString part, int from) {
        int last = text.length() - part.length();
        for (int i = from; i <= last; i++) {
            int matched = 0;
            while (matched < part.length() && text.luaByte(i + matched) == part.luaByte(matched)) {
                matched++;
            }
            if (matched == part.length()) {
                return i;
            }
            if (matched > 64) {
                limits.spend(matched >> 3);
            }
            if ((i & 1023) == 1023) {
                limits.spend(128);
            }
        }
        return -1;
    }

    private Varargs allMatches(Varargs arguments) {
        LuaString text = arguments.checkstring(1);
        LuaString pattern = arguments.checkstring(2);
        return new VarArgFunction() {
            private int from;

            @Override
            public Varargs invoke(Varargs ignored) {
                PatternMatcher matcher = new PatternMatcher(text, pattern, limits::spend);
                for (; from <= text.length(); from++) {
                    int start = from;
                    int end = matcher.match(start, 0);
                    if (end >= 0) {
                        from = end == start ? end + 1 : end;
                        return matcher.captures(start, end, true);
                    }
                }
                return LuaValue.NIL;
            }
        };
    }

    private Varargs substitute(Varargs arguments) {
        LuaString text = arguments.checkstring(1);
        LuaString pattern = arguments.checkstring(2);
        LuaValue replacement = arguments.arg(3);
        int type = replacement.type();
        if (type != LuaValue.TSTRING
                && type != LuaValue.TNUMBER
                && type != LuaValue.TTABLE
                && type != LuaValue.TFUNCTION) {
            throw new LuaError(
                    "bad argument #3 to 'gsub': string, function or table expected, got "
                            + replacement.typename());
        }
        long most = Math.min(arguments.optlong(4, Integer.MAX_VALUE), Integer.MAX_VALUE);
        boolean anchored = pattern.length() > 0 && pattern.luaByte(0) == '^';
        PatternMatcher matcher = new PatternMatcher(text, pattern, limits::spend);
        LuaStringBuilder result = new LuaStringBuilder(limits, "string.gsub", text.length());
        int count = 0;
        int s = 0;
        while (count < most) {
            int end = matcher.match(s, anchored ? 1 : 0);
            if (end >= 0) {
                count++;
                replace(result, matcher, text, s, end, replacement);
            }
            if (end > s) {
                s = end;
            } else if (s < text.length()) {
                result.add(text, s, s + 1);
                s++;
            } else {
                break;
            }
            if (anchored) {
                break;
            }
        }
        result.add(text, s, text.length());
        return LuaValue.varargsOf(result.string(), LuaValue.valueOf(count));
    }

    private void replace(
            LuaStringBuilder result,
            PatternMatcher matcher,
            LuaString text,
            int start,
            int end,
            LuaValue replacement) {
        LuaValue value =
                switch (replacement.type()) {
                    case LuaValue.TTABLE -> replacement.get(matcher.capture(0, start, end));
                    case LuaValue.TFUNCTION ->
                            replacement.invoke(matcher.captures(start, end, true)).arg1();
                    default -> {
                        template(result, matcher, start, end, replacement.strvalue());
                        yield LuaValue.NONE;
                    }
                };
        if (value == LuaValue.NONE) {
            return;
        }
        if (!value.toboolean()) {
            result.add(text, start, end);
        } else if (value.isstring()) {
            LuaString added = NumberText.string(value);
            result.add(added, 0, added.length());
        } else {
            throw new LuaError("invalid replacement value (a " + value.typename() + ")");
        }
    }

    /** Adds a replacement in which {@code %1} stands for a capture. */
    private void template(
            LuaStringBuilder result,
            PatternMatcher matcher,
            int start,
            int end,
            LuaString template) {
        for (int i = 0; i < template.length(); i++) {
            int c = template.luaByte(i);
            int next = c == '%' && i + 1 < template.length() ? template.luaByte(i + 1) : 0;
            if (c != '%') {
                result.add(template, i, i + 1);
                continue;
            }
            i++;
            if (next >= '0' && next <= '9') {
                LuaString capture =
                        next == '0'
                                ? matcher.whole(start, end)
                                : matcher.capture(next - '1', start, end).strvalue();
                result.add(capture, 0, capture.length());
            } else if (next == '%') {
                result.add(template, i, i + 1);
            } else {
                throw new LuaError("invalid use of '%' in replacement string");
            }
        }
    }
}

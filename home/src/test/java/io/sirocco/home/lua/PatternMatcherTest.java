// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.net.Clock;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.compiler.LuaC;
import org.luaj.vm2.lib.BaseLib;
import org.luaj.vm2.lib.PackageLib;
import org.luaj.vm2.lib.StringLib;

class PatternMatcherTest {
    private static final LuaTable REFERENCE = library();
    private static final LuaTable OWN = own();

    private static LuaTable library() {
        Globals globals = new Globals();
        globals.load(new BaseLib());
        globals.load(new PackageLib());
        globals.load(new StringLib());
        LuaC.install(globals);
        return globals.get("string").checktable();
    }

    private static LuaTable own() {
        LuaTable own = library();
        Globals globals = new Globals();
        LuaLimits limits = new LuaLimits(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, 1 << 20);
        StringFunctions.install(
                own,
                new LimitHook(
                        limits, Clock.system(), new ScriptLog(Clock.system()), globals, () -> {}));
        return own;
    }

    private static String call(LuaTable library, String function, LuaValue... arguments) {
        try {
            Varargs values = library.get(function).invoke(LuaValue.varargsOf(arguments));
            StringBuilder text = new StringBuilder();
            for (int i = 1; i <= values.narg(); i++) {
                text.append('[').append(values.arg(i).tojstring()).append(']');
            }
            return text.toString();
        } catch (LuaError e) {
            return "error";
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            ignoreLeadingAndTrailingWhitespace = true,
            textBlock =
                    """
                    hello world;        o w;             [5][7]
                    hello world;        (o)( )(w);       [5][7][o][ ][w]
                    hello;              l+;              [3][4]
                    hello;              ^l;              [nil]
                    hello;              .-$;             [1][5]
                    key = value;        ^(%w+)%s*=%s*(%w+)$; [1][11][key][value]
                    f(a(b)c)d;          %b();            [2][8]
                    THE (quick) fox;    %f[%a]%a+%f[%A]; [1][3]
                    abcabc;             (a)(b)c%1%2;     [1][5][a][b]
                    abc;                ()b();           [2][2][2][3]
                    a]b;                []];             [2][2]
                    a-b;                [a%-]+;          [1][2]
                    a^b;                [b^];            [2][2]
                    2026-11-24;         (%d+)-(%d+)-(%d+); [1][10][2026][11][24]
                    x;                  y*;              [1][0]
                    xyz;                [^x]+;           [2][3]
                    """)
    void findsAsTheManualSays(String text, String pattern, String expected) {
        assertEquals(
                expected, call(OWN, "find", LuaValue.valueOf(text), LuaValue.valueOf(pattern)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            textBlock =
                    """
                    hello world;  (%w+);   <%1>;    [<hello> <world>][2]
                    hello;        `` ;     -;       [-h-e-l-l-o-][6]
                    hello;        l;       %0%0;    [hellllo][2]
                    hello;        ^h;      J;       [Jello][1]
                    abc;          %w;      %%;      [%%%][3]
                    abc;          x*;      -;       [-a-b-c-][4]
                    abc;          b;       %2;      error
                    abc;          b;       %x;      error
                    abc;          (b;      %1;      error
                    abc;          [b;      x;       error
                    abc;          %;       x;       error
                    """)
    void substitutesAsTheManualSays(String text, String pattern, String by, String expected) {
        assertEquals(
                expected,
                call(
                        OWN,
                        "gsub",
                        LuaValue.valueOf(text),
                        LuaValue.valueOf(pattern),
                        LuaValue.valueOf(by)));
    }

    /** LuaJ's matcher is the oracle, for patterns of which it neither fails nor differs from C. */
    @Test
    void randomPatternsMatchAsInLuaJ() {
        Random random = new Random(20261124);
        String[] items = {"a", "b", ".", "%a", "%d", "[ab]", "[^a]", "[a-c1]", "(a)", "(.-)", "()"};
        String[] suffixes = {"", "", "", "*", "+", "-", "?"};
        for (int round = 0; round < 50_000; round++) {
            StringBuilder pattern = new StringBuilder(random.nextInt(5) == 0 ? "^" : "");
            for (int i = random.nextInt(5); i >= 0; i--) {
                String item = items[random.nextInt(items.length)];
                pattern.append(item);
                if (!item.startsWith("(")) {
                    pattern.append(suffixes[random.nextInt(suffixes.length)]);
                }
            }
            if (random.nextInt(5) == 0) {
                pattern.append('$');
            }
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(9); i > 0; i--) {
                text.append("abc12".charAt(random.nextInt(5)));
            }
            LuaValue t = LuaValue.valueOf(text.toString());
            LuaValue p = LuaValue.valueOf(pattern.toString());
            String where = "'" + text + "' '" + pattern + "'";
            assertEquals(call(REFERENCE, "find", t, p), call(OWN, "find", t, p), where);
            assertEquals(call(REFERENCE, "match", t, p), call(OWN, "match", t, p), where);
            LuaValue by = LuaValue.valueOf("<%0>");
            assertEquals(call(REFERENCE, "gsub", t, p, by), call(OWN, "gsub", t, p, by), where);
        }
    }
}

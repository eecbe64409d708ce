// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The directives of string.format: their values as those of the program printf, their errors as
 * those of Lua 5.2.
 */
class StringFormatTest {
    @TempDir private Path root;
    private ScriptRig rig;

    @AfterEach
    void close() {
        rig.close();
    }

    private void start(String user) {
        rig = new ScriptRig(root).script("USER.LUA", user).start();
    }

    /** Returns all combinations of flags, widths, precisions and values. */
    private static List<List<String>> combinations() {
        var all = new ArrayList<List<String>>();
        List<String> integers = List.of("0", "7", "255", "1000000000000000");
        List<String> floats = List.of("0", "2.5", "-1234.5678", "1e+20", "1e-07", "99999.95");
        for (String width : List.of("", "1", "12")) {
            for (String precision : List.of("", ".", ".0", ".3", ".17")) {
                String size = width + precision;
                add(all, "-+ 0", size, "di", integers);
                add(all, "-+ 0", size, "di", List.of("-42"));
                add(all, "-#0", size, "oxX", integers);
                add(all, "-0", size, "u", integers);
                add(all, "-+ #0", size, "eEfgG", floats);
                add(all, "-", size, "s", List.of("abc", ""));
            }
            add(all, "-", width, "c", List.of("A"));
        }
        return all;
    }

    private static void add(
            List<List<String>> all,
            String flags,
            String size,
            String conversions,
            List<String> values) {
        for (int subset = 0; subset < 1 << flags.length(); subset++) {
            var chosen = new StringBuilder();
            for (int i = 0; i < flags.length(); i++) {
                if ((subset >> i & 1) != 0) {
                    chosen.append(flags.charAt(i));
                }
            }
            for (char conversion : conversions.toCharArray()) {
                for (String value : values) {
                    all.add(List.of("%" + chosen + size + conversion, value));
                }
            }
        }
    }

    /** Printf computes with more bits: it gets the exact value of each number. */
    private static String forPrintf(List<String> each) {
        String value = each.get(1);
        return "eEfgG".indexOf(each.getFirst().charAt(each.getFirst().length() - 1)) < 0
                ? value
                : new BigDecimal(Double.parseDouble(value)).toPlainString();
    }

    private static String forLua(List<String> each) {
        String value = each.get(1);
        return each.getFirst().endsWith("s")
                ? "'" + value + "'"
                : each.getFirst().endsWith("c") ? Integer.toString(value.charAt(0)) : value;
    }

    private static List<String> printf(List<List<String>> some) throws IOException {
        var command = new ArrayList<>(List.of("printf"));
        command.add(String.join("|\n", some.stream().map(List::getFirst).toList()));
        some.forEach(each -> command.add(forPrintf(each)));
        var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("LC_ALL", "C");
        byte[] output = builder.start().getInputStream().readAllBytes();
        return List.of(new String(output, StandardCharsets.US_ASCII).split("\\|\n", -1));
    }

    @Test
    void valuesAreThoseOfPrintf() throws IOException {
        List<List<String>> all = combinations();
        var wanted = new ArrayList<String>();
        for (int from = 0; from < all.size(); from += 1_000) {
            wanted.addAll(printf(all.subList(from, Math.min(all.size(), from + 1_000))));
        }
        var user = new StringBuilder("lines = {}\n");
        all.forEach(
                each ->
                        user.append("lines[#lines + 1] = string.format('")
                                .append(each.getFirst())
                                .append("', ")
                                .append(forLua(each))
                                .append(")\n"));
        start(user.toString());
        var written = new ArrayList<String>();
        for (int from = 1; from <= all.size(); from += 500) {
            int to = Math.min(all.size(), from + 499);
            String some = rig.value("table.concat(lines, '|\\n', " + from + ", " + to + ")");
            written.addAll(List.of(some.split("\\|\n", -1)));
        }
        assertEquals(all.size(), wanted.size());
        for (int i = 0; i < all.size(); i++) {
            assertEquals(wanted.get(i), written.get(i), all.get(i).toString());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "`'%d', 1e15` ; `1000000000000000`",
                "`'%d', -2^63` ; `-9223372036854775808`",
                "`'%d', 3.7` ; `3`",
                "`'%d', '12'` ; `12`",
                "`'%x', 2^63 + 2^40` ; `8000010000000000`",
                "`'%u', 2^64 - 2048` ; `18446744073709549568`",
                "`'%5s|%-5s|%.2s', 'abc', 'abc', 'abc'` ; `  abc|abc  |ab`",
                "`'%s %s %s', nil, true, 1.5` ; `nil true 1.5`",
                "`'%s', setmetatable({}, {__tostring = function() return 'own' end})` ; `own`",
                "`'%10s|', 'żó'` ; `      żó|`",
                "`'%q', 'a\\0001\\0z\\r\\127\"\\\\'` ; `\"a\\0001\\0z\\13\\127\\\"\\\\\"`",
                "`'%%%c%%', 65` ; `%A%`",
                "`'%5d%%', 1, 2` ; `    1%`",
                "`'%5s', ('x'):rep(200)` ; `" + "%X200%" + "`",
                "`'%G', 1/0` ; `INF`",
                "`'%i', 3` ; `3`",
            })
    void otherValues(String arguments, String expected) {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("tr")); // an i in capitals has a dot
        try {
            start("");
            assertEquals(
                    expected.replace("%X200%", "x".repeat(200)),
                    rig.value("string.format(" + arguments + ")"));
        } finally {
            Locale.setDefault(before);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "`'%d'` ; `bad argument #2 to 'format' (no value)`",
                "`'%f %d', 1` ; `bad argument #3 to 'format' (no value)`",
                "`'%d', {}` ; `bad argument #2 to 'format' (number expected, got table)`",
                "`'%d', 'x'` ; `bad argument #2 to 'format' (number expected, got string)`",
                "`'%q', {}` ; `bad argument #2 to 'format' (string expected, got table)`",
                "`'%d', 2^63` ; `bad argument #2 to 'format' (not a number in proper range)`",
                "`'%d', 0/0` ; `bad argument #2 to 'format' (not a number in proper range)`",
                "`'%x', -1` ; `bad argument #2 to 'format' (not a non-negative number in proper range)`",
                "`'%y', 1` ; `invalid option '%y' to 'format'`",
                "`'%5%', 1` ; `invalid option '%%' to 'format'`",
                "`'%', 1` ; `invalid option '%' to 'format'`",
                "`'%100d', 1` ; `invalid format (width or precision too long)`",
                "`'%.100f', 1` ; `invalid format (width or precision too long)`",
                "`'%------d', 1` ; `invalid format (repeated flags)`",
            })
    void errors(String arguments, String expected) {
        start("");
        String error = rig.value("select(2, pcall(string.format, " + arguments + "))");
        assertEquals(expected, error);
    }
}

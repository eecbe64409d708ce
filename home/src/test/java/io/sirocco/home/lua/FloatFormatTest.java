// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers by string.format; the expected texts are those of C. */
class FloatFormatTest {
    @TempDir private Path root;
    private ScriptRig rig;

    @BeforeEach
    void start() {
        rig = new ScriptRig(root).start();
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "`%.1f` ; `19.98` ; `20.0`",
                "`%.2f` ; `0.005` ; `0.01`",
                "`%.2f` ; `2.675` ; `2.67`",
                "`%.0f` ; `0.5` ; `0`",
                "`%.0f` ; `1.5` ; `2`",
                "`%f` ; `0.3333333333333333` ; `0.333333`",
                "`%5.2f|` ; `3.14159` ; ` 3.14|`",
                "`%-8.1f|` ; `2.25` ; `2.2     |`",
                "`%08.3f` ; `-3.14159` ; `-003.142`",
                "`%+.1f` ; `2` ; `+2.0`",
                "`% .1f` ; `2` ; ` 2.0`",
                "`%.3f` ; `1e+20` ; `100000000000000000000.000`",
                "`%e` ; `12345.678` ; `1.234568e+04`",
                "`%.0e` ; `15000.0` ; `2e+04`",
                "`%.2e` ; `0` ; `0.00e+00`",
                "`%E` ; `1e-07` ; `1.000000E-07`",
                "`%g` ; `1.5` ; `1.5`",
                "`%g` ; `100000` ; `100000`",
                "`%g` ; `1000000` ; `1e+06`",
                "`%g` ; `0.0001` ; `0.0001`",
                "`%g` ; `1e-05` ; `1e-05`",
                "`%.3g` ; `3.14159` ; `3.14`",
                "`%.10g` ; `0.1` ; `0.1`",
                "`%#g` ; `1.5` ; `1.50000`",
                "`%G` ; `1e-10` ; `1E-10`",
                "`%5.1f` ; `1/0` ; `  inf`",
                "`%.1f` ; `-0.04` ; `-0.0`",
                "`%.14g` ; `3.0` ; `3`",
                "`%.2f %%` ; `50.0` ; `50.00 %`",
            })
    void numbersAreWrittenAsInC(String format, String number, String expected) {
        assertEquals(expected, rig.value("string.format('" + format + "', " + number + ")"));
    }

    @Test
    void otherDirectivesAreLeftToTheEngine() {
        assertEquals(
                "żółw 1.50 007 \"a\\\nb\" 255 ff 2.0%",
                rig.value(
                        "string.format('%s %.2f %03d %q %d %x %.1f%%', 'żółw', 1.5, 7, 'a\\nb', 255, 255, 2)"));
        assertEquals("1", rig.value("string.format('%s', 1)"));
    }

    @Test
    void wrongArgumentsAreErrors() {
        for (String wrong :
                List.of("'%.1f'", "'%.1f', 'x'", "'%.1f', {}", "'%.100f', 1", "'%100f', 1")) {
            assertEquals("false", rig.value("(pcall(string.format, " + wrong + "))"), wrong);
        }
        assertEquals("nil", rig.value("pcall(string.format) and 1 or nil"));
    }
}

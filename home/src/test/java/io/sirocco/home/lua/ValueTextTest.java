// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValueTextTest {
    @TempDir Path root;
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
            textBlock =
                    """
                    1+1;             2
                    1.5;             1.5
                    10/5;            2
                    2^53;            9007199254740992
                    1e20;            1e+20
                    1234567.89;      1234567.89
                    {1234567.89};    {1=1234567.89}
                    {[0.125]=1};     {0.125=1}
                    0.1+0.2;         0.3
                    1e-7;            1e-07
                    -1234567.89;     -1234567.89
                    2/3;             0.66666666666667
                    tostring(1234567.89);    1234567.89
                    "a" .. 1234567.89 .. 0.5 .. 2;  a1234567.890.52
                    1234567.89 .. "";        1234567.89
                    (1234567.89 .. ""):len();  10
                    string.len(1234567.89);  10
                    string.sub(1234567.89, 2);  234567.89
                    string.rep(1234567.89, 2, 0.5);  1234567.890.51234567.89
                    string.format("%s %s", 1234567.89, true);  1234567.89 true
                    string.gsub("x", "x", 1234567.89);  1234567.89
                    string.gsub("x", "x", {x = 1234567.89});  1234567.89
                    table.concat({1234567.89, 2}, ",");  1234567.89,2
                    tonumber(tostring(1234567.89)) == 1234567.89;  true
                    1/0;             inf
                    -1/0;            -inf
                    0/0;             nan
                    nil;             nil
                    true;            true
                    false;           false
                    "a:b:c";         a:b:c
                    "";              ``
                    "\\z";           ``
                    "zażółć";        zażółć
                    {1,2,3};         {1=1, 2=2, 3=3}
                    {a=1};           {a=1}
                    {"x"};           {1="x"}
                    {{1},{"y"}};     {1={1=1}, 2={1="y"}}
                    {};              {}
                    1,2;             1
                    checkAlive();    0d123456
                    CHECKALIVE();    nil
                    nosuch();        nil
                    nosuch.a.b;      nil
                    1+;              nil
                    x = 1;           nil
                    error("e");      nil
                    error();         nil
                    #{1,2};          2
                    (("x"):rep(3));  xxx
                    """)
    void valuesOfCallsHaveTheReferenceText(String script, String expected) {
        assertEquals(expected, rig.value(script));
    }

    /** The registers of a concatenation are its own: no variable becomes a string. */
    @Test
    void aConcatenatedNumberStaysANumber() {
        assertEquals(
                "number number 1234567.89",
                rig.value(
                        "(function() local a = 1234567.89; b = a; local s = a .. b;"
                                + " return type(a) .. ' ' .. type(b) .. ' ' .. a end)()"));
    }

    @Test
    void theLogHasAllDigits() {
        rig.value("print('n=', 1234567.89)");
        assertTrue(rig.logged().contains("n=1234567.89"), rig.logged());
    }

    @Test
    void aFunctionIsNamed() {
        assertEquals("function: tostring", rig.value("tostring"));
        assertTrue(rig.value("checkAlive").startsWith("function: "), rig.value("checkAlive"));
    }

    @Test
    void aTableInItselfEnds() {
        rig.value("(function() t = {}; t.t = t end)()");
        assertEquals("{t={t={t={t={t={t={t={t={...}}}}}}}}}", rig.value("t"));
    }

    @Test
    void aValueTooLongForADatagramIsNil() {
        assertEquals(50_000, rig.value("(\"x\"):rep(50000)").length());
        assertEquals("nil", rig.value("(\"x\"):rep(70000)"));
        assertTrue(rig.logged().contains("longer than 60000"), rig.logged());
    }
}

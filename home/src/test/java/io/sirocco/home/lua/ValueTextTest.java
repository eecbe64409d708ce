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
                    1e20;            1.0E20
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

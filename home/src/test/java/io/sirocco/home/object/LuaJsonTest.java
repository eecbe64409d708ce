// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaValue;
import tools.jackson.core.JacksonException;

class LuaJsonTest {
    private final Scripts scripts = new Scripts("2026-11-27T12:00:00Z");

    /** Defect 7 of the reference: arrays began at 0. */
    @Test
    void arraysBeginAtOne() {
        LuaValue table = LuaJson.parse("[1,\"b\",[true]]");
        assertEquals("1", table.get(1).tojstring());
        assertEquals("b", table.get(2).tojstring());
        assertTrue(table.get(3).get(1).toboolean());
        assertEquals(3, table.length());
    }

    /** Defect 7 of the reference: null members vanished. */
    @Test
    void nullMembersStay() {
        LuaValue table = LuaJson.parse("{\"a\":null,\"b\":[1,null,3]}");
        assertSame(LuaJson.NULL, table.get("a"));
        assertEquals(3, table.get("b").length());
        assertEquals("null", LuaJson.NULL.tojstring());
        assertTrue(LuaJson.parse("null").isnil());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":{\"b\":[1,2.5,{\"c\":null}]},\"empty\":[],\"t\":true}",
                "[]",
                "{}",
                "[[],{},\"\"]",
                "\"zażółć 🏠\"",
                "-1.5E-7",
                "9007199254740992",
                "{\"1\":\"a key that is a string\"}",
            })
    void andBackAgain(String json) {
        assertEquals(json, LuaJson.write(LuaJson.parse(json)));
    }

    @Test
    void whatIsWrittenHasBounds() {
        LuaValue shared = LuaValue.tableOf();
        for (int i = 0; i < 60; i++) {
            shared = LuaValue.listOf(new LuaValue[] {shared, shared});
        }
        LuaValue twice = shared;
        assertTrue(
                assertThrows(LuaError.class, () -> LuaJson.write(twice))
                        .getMessage()
                        .contains("100000 values"));
        assertThrows(LuaError.class, () -> LuaXml.write(twice));
        LuaValue text = LuaText.of("x".repeat(600_000));
        LuaValue long2 = LuaValue.listOf(new LuaValue[] {text, text});
        assertThrows(LuaError.class, () -> LuaJson.write(long2));
        assertEquals(600_004, LuaJson.write(LuaValue.listOf(new LuaValue[] {text})).length());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    return {1, 2, 3}             | [1,2,3]
                    return {a = 1, b = "x"}      | {"a":1,"b":"x"}
                    return {[1] = 1, a = 2}      | {"1":1,"a":2}
                    return {[1] = 1, [3] = 3}    | {"1":1,"3":3}
                    return {}                    | {}
                    return 10 / 4                | 2.5
                    return 2^31                  | 2147483648
                    return nil                   | null
                    """)
    void values(String script, String json) {
        assertEquals(json, LuaJson.write(scripts.lua(script)));
    }

    @Test
    void whatHasNoForm() {
        assertThrows(LuaError.class, () -> LuaJson.write(scripts.lua("return print")));
        assertThrows(LuaError.class, () -> LuaJson.write(scripts.lua("return 1/0")));
        assertThrows(LuaError.class, () -> LuaJson.write(scripts.lua("return {[{}] = 1}")));
        assertThrows(
                LuaError.class, () -> LuaJson.write(scripts.lua("local t = {} t.t = t return t")));
    }

    @Test
    void wrongJson() {
        assertThrows(JacksonException.class, () -> LuaJson.parse("{a}"));
        assertThrows(JacksonException.class, () -> LuaJson.parse("[".repeat(100_000)));
    }

    @Test
    void scriptsCannotChangeTheSharedMetatables() {
        scripts.globals.set("null", LuaJson.NULL);
        assertFalse(scripts.lua("return getmetatable(null)").toboolean());
        assertTrue(scripts.lua("return ({null})[1] == null").toboolean());
        assertThrows(LuaError.class, () -> scripts.lua("null.x = 1"));
    }
}

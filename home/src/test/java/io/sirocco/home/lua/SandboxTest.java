// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxTest {
    @TempDir Path root;
    private ScriptRig rig;

    @BeforeEach
    void start() {
        rig = new ScriptRig(root);
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "coroutine",
                "io",
                "os",
                "bit32",
                "debug",
                "luajava",
                "unpack",
                "loadstring",
                "collectgarbage()",
                "string.nosuch"
            })
    void isAbsent(String name) {
        assertEquals("nil", rig.start().value(name));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            textBlock =
                    """
                    assert, dofile, error, getmetatable, ipairs, load, loadfile, next, pairs, pcall, print; function
                    rawequal, rawget, rawlen, rawset, require, select, setmetatable, tonumber, tostring, type, xpcall; function
                    log, logInfo, logDebug, logWarning, logError, table.unpack, table.pack, string.format, math.floor, math.random; function
                    package, package.loaded, table, string, math, _G, SYSTEM, OBJECT, GATE; table
                    """)
    void isPresent(String names, String type) {
        rig.start();
        for (String name : names.split(", ")) {
            assertEquals(type, rig.value("type(" + name + ")"), name);
        }
        assertEquals("Lua 5.2", rig.value("_VERSION"));
    }

    @ParameterizedTest
    @CsvSource({
        "math.floor(-2.5), -3",
        "'math.log(8, 2)', 3",
        "math.log10(1000), 3",
        "'math.max(1, 7.5, 3)', 7.5",
        "math.pi, 3.1415926535898",
        "math.huge, inf",
        "'select(2, math.modf(3.25))', 0.25",
        "'(function() local r = math.random(3, 5) return r >= 3 and r <= 5 end)()', true"
    })
    void mathematics(String script, String value) {
        assertEquals(value, rig.start().value(script));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    os.time();                        | index a nil value (global 'os')
                    nosuch();                         | call a nil value (global 'nosuch')
                    string.nosuch('x');               | call a nil value (field 'nosuch')
                    package.a.b.c = 1;                | index a nil value (field 'a')
                    package:nosuch();                 | call a nil value (method 'nosuch')
                    local t; t.x = 1;                 | index a nil value (local 't')
                    local t; return (function() return t() end)(); | call a nil value (upvalue 't')
                    nosuch(print());                  | call a nil value (global 'nosuch')
                    return nosuch + 1;                |  perform arithmetic on a nil value (global 'nosuch')
                    return 1 - package.a;             |  perform arithmetic on a nil value (field 'a')
                    return -nosuch;                   |  perform arithmetic on a nil value (global 'nosuch')
                    return 'a' .. nosuch .. 'b';      |  concatenate a nil value (global 'nosuch')
                    (nosuch or other)();              | call a nil value
                    """)
    void anErrorNamesWhatIsMissing(String script, String error) {
        rig.start();
        rig.value("print(select(2, pcall(load([[" + script + "]], 'here'))))");
        assertTrue(rig.logged().contains("here:1 attempt to " + error), rig.logged());
    }

    @Test
    void requireFindsUpperCaseFilesAndRunsThemOnce() throws IOException {
        rig.script("COUNT.LUA", "n = (n or 0) + 1 return {n = n, name = ...}")
                .script("mixed.Lua", "return 'mixed'");
        Files.createDirectories(root.resolve("a/LIB"));
        rig.script("LIB/PART.LUA", "return 'part'").start();
        assertEquals("1", rig.value("require(\"count\").n"));
        assertEquals("count", rig.value("require(\"count\").name"));
        assertEquals("1", rig.value("n"));
        assertEquals("mixed", rig.value("require 'MIXED'"));
        assertEquals("part", rig.value("require 'lib.part'"));
        assertEquals(
                "42",
                rig.value(
                        "(function() package.preload.x = function() return 42 end return require"
                                + " 'x' end)()"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "require '../secret'", "require '..secret'", "require '/etc/passwd'",
                        "require '..\\\\secret'",
                "require 'link'", "dofile '../SECRET.LUA'", "dofile('/' .. 'SECRET.LUA')",
                        "loadfile '../SECRET.LUA'",
                "require 'java.lang.Thread'", "require ''",
                        "require 'org.luaj.vm2.lib.jse.LuajavaLib'", "dofile()"
            })
    void noFileOutsideIsRead(String script) throws IOException {
        Files.writeString(root.resolve("SECRET.LUA"), "leaked = true return 'leaked'");
        rig.script("MAIN.LUA", ScriptRig.MAIN);
        Files.createSymbolicLink(root.resolve("a/LINK.LUA"), root.resolve("SECRET.LUA"));
        rig.start();
        assertEquals("nil", rig.value(script));
        assertEquals("nil", rig.value("leaked"));
    }

    @Test
    void dofileAndLoadfileReadTheFolder() {
        rig.script("X.LUA", "return 'x', ...").start();
        assertEquals("x", rig.value("dofile 'x.lua'"));
        assertEquals("x", rig.value("loadfile('X.LUA')()"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1e",
                "load('return 1e')()",
                "SYSTEM.fetchValues(setmetatable({}, {__len = function() return -5 end}))",
                "table.unpack({}, 1, 8001)"
            })
    void isAnErrorOfTheScript(String script) {
        rig.start();
        assertEquals("nil", rig.value(script));
        assertFalse(rig.logged().contains("Exception"), rig.logged());
        assertEquals("8000", rig.value("select('#', table.unpack({}, 2^40 + 1, 2^40 + 8000))"));
        assertEquals("0", rig.value("select('#', table.unpack({}, 2^62, -2^62))"));
        assertEquals("0", rig.value("select('#', table.unpack({}, 2^32 + 1, 2^31 - 1))"));
    }

    @Test
    void binaryChunksAreRefused() {
        rig.script("B.LUA", new byte[] {0x1b, 'L', 'u', 'a', 0x52, 0, 1, 4, 4, 4, 8, 0}).start();
        assertEquals("nil", rig.value("load(string.dump(function() return 1 end))"));
        assertEquals("nil", rig.value("load('\\27Lua')"));
        assertEquals("nil", rig.value("require 'b'"));
        assertEquals("nil", rig.value("dofile 'b.lua'"));
        assertEquals("7", rig.value("load('return 7')()"));
        assertEquals("8", rig.value("load('return y', 'chunk', 't', {y = 8})()"));
        assertEquals(
                "9",
                rig.value(
                        "(function() local n = 0 return load(function() n = n + 1 return"
                                + " ({'return', ' 9'})[n] end)() end)()"));
    }

    @Test
    void anErrorHasScriptAndLineAndNoTraceback() {
        rig.script("USER.LUA", "function fails()\n  local x = nil\n  return x.y\nend").start();
        assertEquals(
                "USER.LUA:3 attempt to index a nil value (local 'x')",
                rig.value("select(2, pcall(fails))"));
        assertEquals(
                "h:USER.LUA:3 attempt to index a nil value (local 'x')",
                rig.value("select(2, xpcall(fails, function(m) return 'h:' .. m end))"));
        assertEquals("5", rig.value("select(2, pcall(error, {code = 5})).code"));
        rig.value("fails()");
        assertTrue(rig.logged().contains("call of fails: USER.LUA:3"), rig.logged());
    }

    @Test
    void twoStatesShareNoStringLibrary(@TempDir Path other) {
        try (ScriptRig second = new ScriptRig(other)) {
            rig.start();
            second.start();
            rig.value("(function() string.rep = function() return 'mine' end end)()");
            assertEquals("mine", rig.value("('x'):rep(2)"));
            assertEquals("xx", second.value("('x'):rep(2)"));
            assertEquals("false", rig.value("getmetatable('')"));
        }
        ScriptRig.await(rig.runtime.reset());
        assertEquals("xx", rig.value("('x'):rep(2)"));
    }

    @Test
    void aCallCannotChangeTheEnvironmentOfALaterOne() {
        rig.start();
        String call = "(function() local old = v; _ENV = {v = 2}; return old end)()";
        assertEquals("nil", rig.value(call));
        assertEquals("nil", rig.value(call));
    }

    @Test
    void theLogKeepsLinesAndNoArgumentsOfCalls() {
        rig.start();
        rig.value("print('a', 1, true, nil, {2})");
        rig.value("CLU1:set(20, 'tcp://user:secret@host')");
        assertTrue(rig.logged().contains("a1truenil{1=2}\n"), rig.logged());
        assertTrue(rig.logged().contains("call of CLU1:set: "), rig.logged());
        assertFalse(rig.logged().contains("secret"), rig.logged());
        rig.value("(function() for i = 1, 5000 do log('line ', i) end end)()");
        assertEquals(1_000, rig.runtime.log().lines().size());
        rig.runtime.log().clear();
        assertEquals("", rig.logged());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    x = 1 end        | MAIN.LUA:1: '<eof>' expected
                    return = 1       | MAIN.LUA:1: unexpected symbol near '='
                    x = return 1     | MAIN.LUA:1: unexpected symbol near 'return'
                    x =              | MAIN.LUA:1: unexpected symbol near '<eof>'
                    """)
    void aSyntaxErrorNamesTheSymbol(String script, String error) throws IOException {
        Files.writeString(Files.createDirectories(root.resolve("a")).resolve("MAIN.LUA"), script);
        rig.start();
        assertEquals(
                "MAIN.LUA: " + error, rig.runtime.log().lines().getFirst().text(), rig.logged());
    }
}

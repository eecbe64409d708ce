// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.luaj.vm2.LuaValue;

class LimitTest {
    @TempDir Path root;
    private ScriptRig rig;

    @AfterEach
    void close() {
        rig.close();
    }

    private ScriptRig rig(String user) {
        return rig(user, 64 << 20);
    }

    private ScriptRig rig(String user, long memory) {
        rig = new ScriptRig(root, settings -> settings.instructions(500_000).memory(memory));
        return rig.script("USER.LUA", user).start();
    }

    /** With less time than by default: bombs make garbage for as long as they may. */
    private void rigForBombs(String user) {
        rig =
                new ScriptRig(
                        root,
                        settings -> settings.instructions(500_000).time(Duration.ofMillis(300)));
        rig.script("USER.LUA", user).start();
    }

    private void isAlive() {
        assertEquals("0d123456", rig.value("checkAlive()"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "while true do end",
                "while true do pcall(error) end",
                "pcall(function() while true do end end) done = true",
                "xpcall(function() while true do end end, function() return 1 end) done = true",
                "xpcall(function() error('x') end, function() while true do end end) done = true",
                "while true do pcall(function() while true do end end) end",
                "repeat local t = setmetatable({}, {__index = function(t, k) return k end}) until"
                        + " t.x == 1",
                "table.sort({3, 2, 1}, function() while true do end end)",
                "('x'):gsub('.', function() while true do end end)",
                "load(function() while true do end end)",
                "goto again ::again:: goto again",
                "local s = ('x'):rep(4e6) local a, b, n = s .. 'a', s .. 'b', 0 while n < 2000 do"
                        + " if a < b then n = n + 1 end end",
                "local s = ('x'):rep(4e6) local a, b, n = s .. 'a', s .. 'a', 0 while n < 2000 do"
                        + " if a == b then n = n + 1 end end",
                "for i = 1, 1/0 do end",
                "string.find(('a'):rep(30), ('a?'):rep(30) .. ('a'):rep(30) .. 'b')",
                "string.find(('a'):rep(1000), '.-.-.-.-.-.-.-b')",
                "string.match(('a'):rep(100000), '.*.*.*b')",
                "string.find(('a'):rep(1000000), ('a'):rep(500000) .. 'b', 1, true)",
                "local t = {} for i = 1, 1e4 do t[i] = i end while true do table.insert(t, 1, 1)"
                        + " table.remove(t, 1) end",
                "local s, t = ('x'):rep(1e6), {} local r = s .. '' for i = 1, 2e4 do t[i] = i % 2 == 0"
                        + " and s or r end table.sort(t, rawequal)",
                "local s, t = ('x'):rep(1e6), {} local r = s .. '' for i = 1, 2e4 do t[i] = i % 2 == 0"
                        + " and s or r end table.sort(t)",
                "local s = ('x'):rep(1e6) local r = s .. '' while true do rawequal(s, r) end",
                "local s = (' '):rep(1e6) while true do tonumber(s) end",
                "local s = (' '):rep(1e6) .. '1' local n = 0 while true do n = n + s end",
                "local s = ('x'):rep(1e6) local t = {[s] = 1} local r = s .. '' while true do rawget(t,"
                        + " r) end",
                "local t = {} for i = 1, 1e5 do t[i] = i end setmetatable(t, {__len = function() return"
                        + " 0 end}) while true do table.insert(t, 1) end",
                "local t = {} for i = 1, 65536 do t[i] = i end local i = 65536 while i > 1 do i = i / 2"
                        + " t[i] = nil end while true do table.insert(t, 32769, 1) end",
                "local t = {} for i = 1, 1e5 do t[i] = i end for i = 1, 99998 do t[i] = nil end while"
                        + " true do table.sort(t) end"
            })
    void anEndlessLoopEnds(String body) {
        rig("function bomb()\n " + body + " end", Long.MAX_VALUE);
        assertEquals("nil", rig.value("bomb()"));
        isAlive();
        assertEquals("nil", rig.value("done"));
        assertTrue(
                rig.logged().contains("call of bomb ends at USER.LUA:2: the limit is 500000"),
                rig.logged());
    }

    @ParameterizedTest
    @ValueSource(strings = {"loadfile('BIG.LUA')", "pcall(require, 'big')", "print(s)"})
    void longTextCounts(String call) {
        rig = new ScriptRig(root, settings -> settings.instructions(500_000));
        rig.script("BIG.LUA", "-- " + "x".repeat(100_000) + "\nerror()");
        rig.script(
                "USER.LUA",
                "s = ('x'):rep(4e6)\nfunction bomb() for i = 1, 1000 do " + call + " end end");
        rig.start();
        assertEquals("nil", rig.value("bomb()"));
        isAlive();
        assertTrue(
                rig.logged().contains("call of bomb ends at USER.LUA:2: the limit is 500000"),
                rig.logged());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "local s = 'x' while true do s = s .. s end",
                "local t = {} for i = 1, 1e9 do t[i] = i end",
                "local t = {} for i = 1, 1e9 do t['k' .. i] = {} end",
                "local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1e6) end",
                "local t = {} for i = 1, 1e9 do t[i] = 'y' .. ('x'):rep(4e6) end",
                "local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(6e4) end",
                "local s = ('x'):rep(60000) local t = {} for i = 1, 1e9 do t[i] = s .. i end",
                "local s = ('x'):rep(1e6) local t = {} for i = 1, 1e9 do t[i] = s:upper() end",
                "local s = ('x'):rep(1e6) local t = {} for i = 1, 1e9 do t[i] = s:gsub('y', 'z')"
                        + " end",
                "local s = ('x'):rep(4e6) return s .. s",
                "local s = ('x'):rep(1e6) return s .. s .. s .. s .. s .. s .. s .. s",
                "return (('x'):rep(1e9))",
                "return (('x'):rep(2^53))",
                "return (('xxxx'):rep(2^62))",
                "return (''):rep(2, ('x'):rep(4e6)) .. ('x'):rep(4e6)",
                "local s = ('x'):rep(1e6) return (('%s%s%s%s%s'):format(s, s, s, s, s))",
                "local s = ('\\0'):rep(3e6) return (('%q'):format(s))",
                "local s, t = ('x'):rep(1e6), {} for i = 1, 10 do t[i] = s end return"
                        + " (table.concat(t))",
                "local s = ('x'):rep(1e6) return (table.concat({'', '', '', '', '', ''}, s)) ",
                "return (('x'):rep(1e6):gsub('x', '%0%0%0%0%0%0'))",
                "return (('x'):rep(3000):gsub('x', ('y'):rep(2000)))",
                "return (table.unpack({}, 1, 1e9))",
                "return (table.unpack({}, 2^32 + 1, 2^33))",
                "return (table.unpack({}, -2^63, 2^63))",
                "return (table.unpack(setmetatable({}, {__index = function() return 1 end}), 1,"
                        + " 3e8))",
                "return (('x'):rep(4e6):byte(1, -1))",
                "return load(('x = 1 '):rep(1e5))()",
                "return load(function() return ('x = 1 '):rep(1e4) end)()"
            })
    void aMemoryBombEnds(String body) {
        rigForBombs("function bomb()\n " + body + " end");
        assertEquals("nil", rig.value("bomb()"));
        assertEquals("nil", rig.value("select('#', bomb())"));
        assertEquals("nil", rig.value("(pcall(function() while true do pcall(bomb) end end))"));
        isAlive();
        assertTrue(rig.logged().contains("USER.LUA:2"), rig.logged());
        assertTrue(rig.logged().matches("(?s).*(limit|longer|too ).*"), rig.logged());
        assertEquals(LuaStatus.RUNNING, rig.runtime.status());
    }

    /** Each number is an object: all of these make more garbage than a task may keep. */
    @Test
    void garbageDoesNotCount() {
        rig = new ScriptRig(root, settings -> settings.memory(16 << 20));
        rig.script(
                "USER.LUA",
                """
                x = 0.5
                function numbers() for i = 1, 1e6 do x = x + 1 end return x == 1000000.5 end
                function tables()
                  local n = 0
                  for i = 1, 16e4 do n = n + #{i, i + 1, 'k' .. i} end
                  return n
                end
                function strings()
                  local n = 0
                  for i = 1, 24 do n = n + #('x'):rep(1e6) end
                  return n
                end
                """);
        rig.start();
        assertEquals("true", rig.value("numbers()"), rig::logged);
        assertEquals("480000", rig.value("tables()"), rig::logged);
        assertEquals("24000000", rig.value("strings()"), rig::logged);
    }

    /** Tasks that keep what they make end, one after the other, and leave heap for others. */
    @Test
    void whatIsKeptCounts() {
        rig = new ScriptRig(root);
        rig.script(
                "USER.LUA",
                """
                s = ('x'):rep(4e6)
                function bomb()
                  local t = {}
                  for i = 1, 1e9 do t[i] = s .. i end
                end
                """);
        rig.start();
        for (int i = 0; i < 10; i++) {
            assertEquals("nil", rig.value("bomb()"));
            isAlive();
        }
        assertFalse(rig.logged().contains("out of memory"), rig.logged());
        assertEquals(
                10,
                rig.logged()
                        .lines()
                        .filter(
                                line ->
                                        line.matches(
                                                ".*bomb ends.*the limit is \\d+ bytes of memory"))
                        .count(),
                rig.logged());
        assertEquals(LuaStatus.RUNNING, rig.runtime.status());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "function bomb() return 1 + bomb() end",
                "function bomb() return pcall(bomb) and 1 + bomb() end",
                "function bomb(x) return ('x'):gsub('x', bomb) end",
                "function bomb() table.sort({1, 2, 3}, bomb) end",
                "t = setmetatable({}, {__index = function(t, k) return t[k] .. 'x' end}) function"
                        + " bomb() return t.x .. 'x' end",
                "function bomb() local t = setmetatable({}, {}) getmetatable(t).__call = t return"
                        + " t() end",
                "function bomb() local t, u = {}, {} setmetatable(t, {__call = u}) return t() end",
                "function bomb() local t, m = {}, {} rawset(m, '__call', t) setmetatable(t, m)"
                        + " return t + t end",
                "function bomb() local t, m = {}, {} local _ENV = m __call = t return t() end",
                "function bomb() local t = {} local m = {} setmetatable(t, m) package.loaded = m"
                        + " package.preload.__call = function() return t end pcall(require, '__call')"
                        + " return t() end",
                "function bomb() local t = setmetatable({}, _G) package.loaded = _G"
                        + " package.preload.__call = function() return t end pcall(require, '__call')"
                        + " return t() end",
                "function bomb() local m = {} local k, t = '__' .. 'call', {} m[k] = t return t()"
                        + " end",
                "t = setmetatable({}, {}) getmetatable(t).__index = t function bomb() return t.x.y"
                        + " end",
                "function bomb() return load(('('):rep(1e5))() end",
                "function bomb() return load('return ' .. ('{'):rep(1e5))() end",
                "function bomb() return ('x'):rep(1e5):find(('(x?)'):rep(1e4)) end",
                "function bomb() return ('x'):rep(1e5):find(('x?'):rep(1e4)) end"
            })
    void deepRecursionIsAnError(String user) {
        rigForBombs(user);
        assertEquals("nil", rig.value("1 + bomb()"));
        isAlive();
        rig.value("pcall(bomb)");
        rig.value("pcall(pcall, pcall, bomb)");
        isAlive();
        assertEquals("1", rig.value("1"));
        assertEquals(LuaStatus.RUNNING, rig.runtime.status());
    }

    @Test
    void recursionWithinTheLimitWorks() {
        rig("function sum(n) if n == 0 then return 0 end return n + sum(n - 1) end");
        assertEquals("6123250", rig.value("sum(3499)"));
        assertEquals("nil", rig.value("sum(4500)"));
        assertEquals("false", rig.value("(pcall(sum, 4500))"));
        assertTrue(rig.value("select(2, pcall(sum, 4500))").contains("stack overflow"));
        rig.value(
                "(function() function last(n) if n == 0 then return 'tail' end return last(n - 1)"
                        + " end end)()");
        assertEquals("tail", rig.value("last(50000)"));
    }

    @Test
    void theTimeLimitCountsByTheClockOfTheRuntime() {
        ManualClock clock = new ManualClock();
        rig = new ScriptRig(root, settings -> settings.clock(clock).time(Duration.ofSeconds(2)));
        rig.script("USER.LUA", "function bomb()\n started() while true do end end").start();
        CountDownLatch started = new CountDownLatch(1);
        rig.context.globals().set("started", java(started::countDown));
        CompletableFuture<String> bomb = rig.later("bomb()");
        await(started);
        assertFalse(bomb.isDone());
        clock.advance(2_001);
        assertEquals("nil", ScriptRig.await(bomb));
        assertTrue(
                rig.logged().contains("call of bomb ends at USER.LUA:2: the limit is 2000 ms"),
                rig.logged());
        isAlive();
    }

    /** Defect 8 of the reference: a script that is busy blocks all other calls. */
    @Test
    void aBusyScriptDelaysNoOtherCall() {
        ManualClock clock = new ManualClock();
        rig = new ScriptRig(root, settings -> settings.clock(clock));
        rig.script(
                "USER.LUA",
                "function busy() started() while not stop do end return 'finished' end");
        rig.start();
        CountDownLatch started = new CountDownLatch(1);
        rig.context.globals().set("started", java(started::countDown));
        CompletableFuture<String> busy = rig.later("busy()");
        await(started);
        for (int second = 0; second < 10; second++) {
            clock.advance(1_000);
            for (int i = 0; i < 20; i++) {
                assertEquals("0d123456", rig.value("checkAlive()"));
            }
            assertEquals(Integer.toString(second), rig.value("(" + second + ")"));
        }
        assertFalse(busy.isDone());
        assertEquals("nil", rig.value("setVar('stop', true)"));
        assertEquals("finished", ScriptRig.await(busy));
    }

    @Test
    void timeOfOthersDoesNotCount() {
        ManualClock clock = new ManualClock();
        rig = new ScriptRig(root, settings -> settings.clock(clock).time(Duration.ofSeconds(2)));
        rig.script(
                "USER.LUA",
                "function busy() started() while not stop do end return 'finished' end");
        rig.start();
        CountDownLatch started = new CountDownLatch(1);
        rig.context.globals().set("started", java(started::countDown));
        rig.context.globals().set("pass", java(() -> clock.advance(1_500)));
        CompletableFuture<String> busy = rig.later("busy()");
        await(started);
        clock.advance(10);
        for (int i = 0; i < 4; i++) {
            rig.value("pass()");
        }
        rig.value("setVar('stop', true)");
        assertEquals("finished", ScriptRig.await(busy));
    }

    @ParameterizedTest
    @ValueSource(strings = {"xxxxxxxx", ""})
    void concatJoinsATableThatAnotherCallChangesMeanwhile(String changed) {
        ManualClock clock = new ManualClock();
        rig = new ScriptRig(root, settings -> settings.clock(clock));
        rig.script(
                "USER.LUA",
                """
                t = {}
                for i = 1, 2000 do t[i] = 'x' end
                function change(s) for i = 1, 2000 do t[i] = s end return 'changed' end
                function join()
                  started()
                  local s = table.concat(t)
                  return #s .. ' ' .. s:gsub('[^x]', '?'):sub(-1)
                end
                """);
        rig.start();
        List<CompletableFuture<String>> changes = new ArrayList<>();
        rig.context
                .globals()
                .set(
                        "started",
                        java(
                                () -> {
                                    changes.add(rig.later("change('" + changed + "')"));
                                    clock.advance(6); // so that it runs in between
                                }));
        String joined = rig.value("join()");
        assertEquals("changed", ScriptRig.await(changes.getFirst()));
        assertTrue(joined.matches("\\d+ x"), joined + " " + rig.logged());
        int length = Integer.parseInt(joined.split(" ")[0]);
        assertTrue(length > 0 && length < 16_000 && length != 2_000, joined);
    }

    @Test
    void busyScriptsLeaveRoomForProbesAndOthersWait() {
        ManualClock clock = new ManualClock();
        rig = new ScriptRig(root, settings -> settings.clock(clock));
        rig.script("USER.LUA", "function busy() started() while not stop do end return 'end' end");
        rig.start();
        CountDownLatch started = new CountDownLatch(LuaLimits.TASKS);
        AtomicInteger running = new AtomicInteger();
        rig.context
                .globals()
                .set(
                        "started",
                        java(
                                () -> {
                                    running.incrementAndGet();
                                    started.countDown();
                                    clock.advance(6);
                                }));
        List<CompletableFuture<String>> all = new ArrayList<>();
        for (int i = 0; i < LuaLimits.TASKS + 3; i++) {
            all.add(rig.later("busy()"));
        }
        await(started); // all that have room
        clock.advance(6);
        for (int i = 0; i < 100; i++) {
            isAlive();
        }
        assertEquals(LuaLimits.TASKS, running.get());
        CompletableFuture<String> later = rig.later("1");
        isAlive();
        assertFalse(later.isDone()); // waits behind three that have no room
        CompletableFuture<Void> ended = rig.runtime.reset().thenAccept(status -> {});
        ScriptRig.await(ended);
        all.forEach(busy -> assertEquals("nil", ScriptRig.await(busy)));
        assertEquals("nil", ScriptRig.await(later));
        isAlive();
    }

    @Test
    void callsOfClientsWaitWithinTheirTime() {
        ManualClock clock = new ManualClock();
        rig = new ScriptRig(root, settings -> settings.clock(clock).time(Duration.ofSeconds(30)));
        rig.script(
                "USER.LUA",
                "function waits(ms) started() SYSTEM:Wait(ms) return 'waited' end function bomb()"
                        + " waits(86400000) end");
        rig.start();
        CountDownLatch started = new CountDownLatch(LuaLimits.TASKS);
        rig.context.globals().set("started", java(started::countDown));
        List<CompletableFuture<String>> bombs = new ArrayList<>();
        CompletableFuture<String> waits = rig.later("waits(20000)");
        for (int i = 1; i < LuaLimits.TASKS; i++) {
            bombs.add(rig.later("bomb()"));
        }
        await(started);
        isAlive();
        CompletableFuture<String> later = rig.later("1");
        clock.advance(29_000);
        isAlive();
        assertFalse(waits.isDone()); // behind those that it has let run
        clock.advance(1_001);
        bombs.forEach(bomb -> assertEquals("nil", ScriptRig.await(bomb)));
        assertEquals("1", ScriptRig.await(later));
        assertTrue(rig.logged().contains("the limit is 30000 ms"), rig.logged());
    }

    @Test
    void waitsOfHandlersDoNotCountAndRunOthers() {
        ManualClock clock = new ManualClock();
        rig = new ScriptRig(root, settings -> settings.clock(clock).time(Duration.ofSeconds(2)));
        rig.script("USER.LUA", "function waits() started() SYSTEM:Wait(60000) ended() end");
        rig.start();
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        rig.context.globals().set("started", java(started::countDown));
        rig.context.globals().set("ended", java(ended::countDown));
        LuaValue waits = rig.context.globals().get("waits");
        rig.context.scripts().execute("a handler", waits::call);
        await(started);
        for (int i = 0; i < 59; i++) {
            isAlive();
            clock.advance(1_000);
        }
        isAlive();
        assertEquals(1, ended.getCount());
        clock.advance(1_000);
        await(ended);
    }

    static LuaValue java(Runnable body) {
        return StringFunctions.function(
                "java",
                arguments -> {
                    body.run();
                    return LuaValue.NIL;
                });
    }

    static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

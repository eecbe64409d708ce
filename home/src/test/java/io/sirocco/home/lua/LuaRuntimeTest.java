// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // loops wait
class LuaRuntimeTest {
    @TempDir Path root;
    private final ManualClock clock = new ManualClock();
    private ScriptRig rig;

    @AfterEach
    void close() {
        rig.close();
    }

    /** Moves the clock until the future is complete; the code under test decides how often. */
    private <T> T advanceUntil(CompletableFuture<T> future) {
        while (!future.isDone()) {
            clock.advance(10); // no more, or limits pass while the scripts get no processor
            LockSupport.parkNanos(1); // some 50 µs
        }
        return future.join();
    }

    // Boot

    @Test
    void mainRunsAndIsAlive() {
        rig = new ScriptRig(root);
        assertEquals(LuaStatus.STARTING, rig.runtime.status());
        rig.start();
        assertEquals(LuaStatus.RUNNING, rig.runtime.status());
        assertEquals("0d123456", rig.value("checkAlive()"));
    }

    @Test
    void aGateHasNoLoop() {
        rig = new ScriptRig(root).script("MAIN.LUA", "function checkAlive() return true end");
        rig.start();
        assertEquals("true", rig.value("checkAlive()"));
        assertEquals(LuaStatus.RUNNING, rig.runtime.status());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "this is no Lua",
                "error('no')",
                "nosuch()",
                "require 'nosuch'",
                "SYSTEM.Init() repeat SYSTEM.Loop() until false", // no checkAlive
                "function checkAlive() error('no') end",
                "function checkAlive() while true do end end repeat SYSTEM.Loop() until false",
                "while true do end",
                "while true do pcall(function() while true do end end) end",
                "function f() return 1 + f() end f()",
                "local s = 'x' while true do s = s .. s end",
                "local t = {} while true do t[#t + 1] = {} end"
            })
    void aMainScriptThatFailsIsReplacedByTheEmergencyScript(String main) throws IOException {
        rig = new ScriptRig(root, settings -> settings.clock(clock).instructions(2_000_000));
        rig.script("MAIN.LUA", main);
        assertEquals(LuaStatus.EMERGENCY, advanceUntil(rig.runtime.start(rig)));
        assertEquals("emergency", rig.value("checkAlive()"));
        assertTrue(Files.exists(root.resolve("a/EMERGNCY.LUA")));
        assertTrue(
                rig.logged().contains("EMERGNCY.LUA: the emergency script runs instead"),
                rig.logged());
        assertTrue(rig.logged().contains("MAIN.LUA"), rig.logged());
        rig.script("MAIN.LUA", ScriptRig.MAIN);
        assertEquals(LuaStatus.RUNNING, advanceUntil(rig.runtime.reset()));
        assertEquals("0d123456", rig.value("checkAlive()"));
    }

    @Test
    void aMainScriptThatNeverWaitsIsReplacedAfterItsTime() {
        rig = new ScriptRig(root, settings -> settings.clock(clock).instructions(Long.MAX_VALUE));
        rig.script("MAIN.LUA", "while true do end");
        CompletableFuture<LuaStatus> booted = rig.runtime.start(rig);
        assertEquals(LuaStatus.EMERGENCY, advanceUntil(booted));
        assertTrue(
                rig.logged().contains("MAIN.LUA ends at MAIN.LUA:1: the limit is 30000 ms"),
                rig.logged());
    }

    @Test
    void withoutFilesTheBuiltInScriptRuns() throws IOException {
        rig = new ScriptRig(root);
        Files.delete(root.resolve("a/MAIN.LUA"));
        rig.script("EMERGNCY.LUA", "broken(");
        assertEquals(LuaStatus.EMERGENCY, ScriptRig.await(rig.runtime.start(rig)));
        assertEquals("emergency", rig.value("checkAlive()"));
        assertEquals("broken(", Files.readString(root.resolve("a/EMERGNCY.LUA")));
        assertTrue(
                rig.logged().contains("MAIN.LUA: there is no such file; write root/a/MAIN.LUA"),
                rig.logged());
    }

    @Test
    void checkAliveMayTakeItsTimeToSucceed() {
        rig = new ScriptRig(root);
        rig.script(
                "MAIN.LUA",
                """
                local n = 0
                function checkAlive() n = n + 1 if n < 9 then error('not yet') end return n end
                repeat SYSTEM.Loop() until false
                """);
        assertEquals(LuaStatus.RUNNING, ScriptRig.await(rig.runtime.start(rig)));
        assertEquals("10", rig.value("checkAlive()"));
    }

    @Test
    void aMainScriptThatFailsLaterLeavesCallsAlive() {
        rig = new ScriptRig(root, clock);
        rig.script(
                "MAIN.LUA",
                "function checkAlive() return 'a' end SYSTEM:Wait(1000) error('later')");
        advanceUntil(rig.runtime.start(rig));
        while (rig.runtime.status() != LuaStatus.ERROR) {
            clock.advance(100);
        }
        assertEquals("a", rig.value("checkAlive()"));
        assertTrue(rig.logged().contains("MAIN.LUA: MAIN.LUA:1 later"), rig.logged());
    }

    // Passes

    @Test
    void aPassTakes960Milliseconds() {
        rig = new ScriptRig(root, clock);
        rig.script(
                "MAIN.LUA",
                """
                passes = 0
                function checkAlive() return passes end
                OBJECT:new(6, "TIM1")
                SYSTEM.Init()
                repeat passes = passes + 1 SYSTEM.Loop() until false
                """);
        rig.objects = name -> Optional.of(rig.new Recorder(name));
        ScriptRig.await(rig.runtime.start(rig));
        assertEquals("1", rig.value("passes"));
        for (int pass = 2; pass < 20; pass++) {
            clock.advance(959);
            assertEquals(Integer.toString(pass - 1), rig.value("passes"));
            clock.advance(1);
            rig.value("1"); // the thread is about to wait again, or has begun the pass
            String now = rig.value("passes");
            while (!now.equals(Integer.toString(pass))) {
                now = rig.value("passes");
            }
        }
        assertEquals("TIM1 setUp", rig.events.getFirst());
        assertEquals(19, rig.events.stream().filter(event -> event.equals("TIM1 loop")).count());
    }

    @Test
    void tasksWithADelayRunInTheirOrder() {
        rig = new ScriptRig(root, clock).start();
        List<String> order = new CopyOnWriteArrayList<>();
        CompletableFuture<Void> last = new CompletableFuture<>();
        rig.runtime.schedule("c", Duration.ofMillis(500), () -> last.complete(null));
        rig.runtime.schedule("b", Duration.ofMillis(200), () -> order.add("b"));
        rig.runtime.schedule("a", Duration.ofMillis(100), () -> order.add("a"));
        rig.runtime.schedule("a2", Duration.ofMillis(100), () -> order.add("a2"));
        rig.runtime.schedule("x", Duration.ofMillis(150), () -> order.add("x")).cancel();
        rig.value("1");
        assertEquals(List.of(), order);
        clock.advance(499);
        rig.value("1");
        rig.value("1");
        assertFalse(last.isDone());
        clock.advance(1);
        ScriptRig.await(last);
        assertEquals(List.of("a", "a2", "b"), order);
    }

    @Test
    void callsRunInOrderAndABatchWakesOnce() {
        rig = new ScriptRig(root, clock).start();
        List<String> values = new ArrayList<>();
        CountDownLatch all = new CountDownLatch(1_000);
        for (int i = 0; i < 1_000; i++) {
            rig.runtime.submit(
                    Integer.toString(i),
                    new InetSocketAddress("127.0.0.1", 40_000),
                    value -> {
                        values.add(value);
                        all.countDown();
                    });
        }
        rig.runtime.flush();
        LimitTest.await(all);
        for (int i = 0; i < 1_000; i++) {
            assertEquals(Integer.toString(i), values.get(i));
        }
    }

    @Test
    void tooManyCallsAreRefused() {
        rig = new ScriptRig(root, clock);
        rig.script("USER.LUA", "function busy() started() while true do end end").start();
        CountDownLatch started = new CountDownLatch(1);
        rig.context.globals().set("started", LimitTest.java(started::countDown));
        rig.later("busy()");
        LimitTest.await(started);
        int accepted = 0;
        while (rig.runtime.call("1", value -> {})) {
            accepted++;
            assertTrue(accepted <= 10_000);
        }
        assertEquals(10_000, accepted);
        ScriptRig.await(rig.runtime.reset());
        assertEquals("2", rig.value("2"));
    }

    /** Before, 10,000 calls of 60 KB filled the heap. */
    @Test
    void callsThatWaitAreBoundedByTheirLengthToo() {
        rig = new ScriptRig(root, clock);
        rig.script("USER.LUA", "function busy() started() while true do end end").start();
        CountDownLatch started = new CountDownLatch(1);
        rig.context.globals().set("started", LimitTest.java(started::countDown));
        String script = "#'" + "x".repeat(60_000) + "'";
        for (int i = 0; i < 300; i++) {
            rig.value(script); // one after the other, as many as you like
        }
        rig.later("busy()");
        LimitTest.await(started);
        int accepted = 0;
        while (rig.runtime.call(script, value -> {})) {
            accepted++;
            assertTrue(accepted * 60_000L <= 16 << 20);
        }
        assertTrue(accepted > 250, "refused too early");
        ScriptRig.await(rig.runtime.reset());
        assertEquals("2", rig.value("2"));
    }

    // Reset

    @Test
    void resetReadsTheScriptsAgainAndClosesObjects() {
        rig = new ScriptRig(root, clock);
        rig.script("USER.LUA", "v = 1 OBJECT:new(6, 'TIM1')");
        rig.objects = name -> Optional.of(rig.new Recorder(name));
        rig.start();
        rig.value("setVar('w', 1)");
        rig.script("USER.LUA", "v = 2");
        assertEquals(LuaStatus.RUNNING, ScriptRig.await(rig.runtime.reset()));
        assertEquals("2", rig.value("v"));
        assertEquals("nil", rig.value("w"));
        assertEquals("TIM1 close", rig.events.getLast());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "while true do end",
                "while true do pcall(function() while true do end end) end",
                "xpcall(function() error('x') end, function() while true do end end)",
                "string.find(('a'):rep(5000), '.-.-.-.-.-.-.-.-.-.-b')",
                "SYSTEM:Wait(86400000)",
                "local t = {} while true do t[1] = ('x'):rep(100) end"
            })
    void resetEndsAnEndlessCall(String body) {
        rig = new ScriptRig(root, clock);
        rig.script("USER.LUA", "function busy() started() " + body + " end").start();
        CountDownLatch started = new CountDownLatch(1);
        rig.context.globals().set("started", LimitTest.java(started::countDown));
        CompletableFuture<String> busy = rig.later("busy()");
        LimitTest.await(started);
        CompletableFuture<String> behind = rig.later("1");
        assertEquals(LuaStatus.RUNNING, ScriptRig.await(rig.runtime.reset()));
        assertEquals("nil", ScriptRig.await(busy));
        assertEquals("nil", ScriptRig.await(behind));
        assertEquals("0d123456", rig.value("checkAlive()"));
    }

    @Test
    void resetEndsAnEndlessMainScript() {
        rig = new ScriptRig(root, clock);
        rig.script(
                "MAIN.LUA",
                """
                function checkAlive() return 'first' end
                SYSTEM:Wait(0)
                SYSTEM:Wait(10)
                while true do end
                """);
        advanceUntil(rig.runtime.start(rig));
        clock.advance(20);
        rig.script("MAIN.LUA", ScriptRig.MAIN);
        assertEquals(LuaStatus.RUNNING, ScriptRig.await(rig.runtime.reset()));
        assertEquals("0d123456", rig.value("checkAlive()"));
    }

    @Test
    void resetEndsABootAndJoinsAnother() {
        rig = new ScriptRig(root, clock);
        rig.script("MAIN.LUA", "while true do end");
        CompletableFuture<LuaStatus> start = rig.runtime.start(rig);
        rig.script("MAIN.LUA", ScriptRig.MAIN);
        CompletableFuture<LuaStatus> first = rig.runtime.reset();
        CompletableFuture<LuaStatus> second = rig.runtime.reset();
        assertEquals(LuaStatus.RUNNING, ScriptRig.await(start));
        assertEquals(LuaStatus.RUNNING, ScriptRig.await(first));
        assertEquals(LuaStatus.RUNNING, ScriptRig.await(second));
    }

    @Test
    void resetEndsAnEndlessHandler() {
        rig = new ScriptRig(root, clock);
        rig.objects = name -> Optional.of(rig.new Recorder(name));
        rig.script(
                "USER.LUA",
                """
                TIM1 = OBJECT:new(6, 'TIM1')
                TIM1:add_event(0, function() started() while true do end end)
                """);
        rig.start();
        CountDownLatch started = new CountDownLatch(1);
        rig.context.globals().set("started", LimitTest.java(started::countDown));
        rig.value("TIM1:execute(1)");
        LimitTest.await(started);
        ScriptRig.await(rig.runtime.reset());
        assertEquals("0d123456", rig.value("checkAlive()"));
    }

    /** Java code of an object that neither returns nor can be interrupted. */
    @Test
    void resetAbandonsAThreadThatHangs() {
        rig = new ScriptRig(root, clock);
        rig.objects = name -> Optional.of(rig.new Recorder(name));
        rig.script("USER.LUA", "TIM1 = OBJECT:new(6, 'TIM1')").start();
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        ScriptThread old = rig.context.scripts();
        rig.context
                .globals()
                .set(
                        "hang",
                        LimitTest.java(
                                () -> {
                                    started.countDown();
                                    while (release.getCount() > 0) {
                                        LockSupport.parkNanos(200_000);
                                    }
                                }));
        CompletableFuture<String> hangs = rig.later("{hang(), setVar('leaked', 1)}");
        LimitTest.await(started);
        CompletableFuture<String> behind = rig.later("1");
        assertEquals(LuaStatus.RUNNING, ScriptRig.await(rig.runtime.reset()));
        assertEquals("nil", ScriptRig.await(behind));
        assertEquals("0d123456", rig.value("checkAlive()"));
        assertTrue(rig.events.contains("TIM1 close"));
        assertFalse(old.execute("late", () -> rig.events.add("late")));
        assertEquals("nil", ScriptRig.await(hangs), "though it has not ended");
        release.countDown();
        assertEquals("nil", rig.value("leaked"));
        assertTrue(rig.logged().contains("abandoned"), rig.logged());
    }

    /** 100 resets leave one thread. */
    @Test
    void manyResetsLeaveOneThread() throws Exception {
        rig = new ScriptRig(root, clock).start();
        for (int i = 0; i < 100; i++) {
            ScriptRig.await(rig.runtime.reset());
        }
        List<Thread> threads = threads();
        for (Thread each : threads.subList(0, threads.size() - 1)) {
            assertTrue(each.join(Duration.ofSeconds(30)), "the thread of an earlier state is left");
        }
        assertEquals(List.of(threads.getLast()), threads());
    }

    /** Before, each began the timers of all objects once more. */
    @Test
    void aSecondInitHasNoEffect() {
        rig = new ScriptRig(root, clock);
        rig.objects = name -> Optional.of(rig.new Recorder(name));
        rig.script("USER.LUA", "OBJECT:new(6, 'TIM1')").start();
        rig.value("SYSTEM.Init()");
        rig.value("SYSTEM.Init()");
        assertEquals(1, rig.events.stream().filter(each -> each.equals("TIM1 setUp")).count());
        assertEquals(
                1,
                rig.runtime.log().lines().stream()
                        .filter(line -> line.text().startsWith("SYSTEM.Init() has set up"))
                        .count());
    }

    /**
     * Before, the thread was abandoned within their close, for example while it saved variables.
     * Scripts have 300 ms.
     */
    @Test
    void objectsMayTakeLongerToCloseThanScriptsToEnd() {
        rig = new ScriptRig(root, clock);
        rig.objects =
                name ->
                        Optional.of(
                                rig.new Recorder(name) {
                                    @Override
                                    public void close() {
                                        long end = System.nanoTime() + 350_000_000;
                                        while (System.nanoTime() < end) {
                                            LockSupport.parkNanos(1_000_000); // as a slow disk
                                        }
                                        super.close();
                                    }
                                });
        rig.script("USER.LUA", "OBJECT:new(6, 'TIM1')").start();
        rig.events.clear();
        assertEquals(LuaStatus.RUNNING, ScriptRig.await(rig.runtime.reset()));
        assertEquals(List.of("TIM1 close", "TIM1 setUp"), rig.events.subList(0, 2));
        rig.runtime.close();
        assertEquals("TIM1 close", rig.events.getLast());
        assertFalse(rig.logged().contains("abandoned"), rig.logged());
    }

    @Test
    void objectsCloseBesideEachOther() {
        rig = new ScriptRig(root, clock);
        rig.objects =
                name ->
                        Optional.of(
                                rig.new Recorder(name) {
                                    @Override
                                    public void awaitClose() {
                                        rig.events.add(name() + " closed");
                                    }
                                });
        rig.script("USER.LUA", "OBJECT:new(6, 'A') OBJECT:new(6, 'B')").start();
        rig.events.clear();
        rig.runtime.close();
        assertEquals(List.of("A close", "B close", "A closed", "B closed"), rig.events);
    }

    /** The receiver of a value may use the runtime, on whatever thread. */
    @Test
    void aCallOfAnAbandonedThreadEndsOutsideOfTheMonitor() {
        rig = new ScriptRig(root, clock).start();
        CountDownLatch release = hang();
        var done = new CompletableFuture<LuaStatus>();
        rig.runtime.call(
                "1",
                value -> {
                    var reset = new CompletableFuture<CompletableFuture<LuaStatus>>();
                    Thread.startVirtualThread(() -> reset.complete(rig.runtime.reset()));
                    reset.orTimeout(20, TimeUnit.SECONDS).join().thenAccept(done::complete);
                });
        ScriptRig.await(rig.runtime.reset());
        assertEquals(LuaStatus.RUNNING, ScriptRig.await(done));
        release.countDown();
    }

    /** Before, calls that waited for the scripts never got a value then. */
    @Test
    void anInterruptDoesNotKeepCloseFromEndingCalls() {
        rig = new ScriptRig(root, clock).start();
        CountDownLatch release = hang();
        CompletableFuture<String> behind = rig.later("1");
        Thread.currentThread().interrupt();
        rig.runtime.close();
        assertTrue(Thread.interrupted(), "the interrupt is kept");
        assertEquals("nil", behind.getNow("no value"));
        release.countDown();
    }

    /** Calls a function in Java that neither returns nor can be interrupted. */
    private CountDownLatch hang() {
        var started = new CountDownLatch(1);
        var release = new CountDownLatch(1);
        rig.context
                .globals()
                .set(
                        "hang",
                        LimitTest.java(
                                () -> {
                                    started.countDown();
                                    while (release.getCount() > 0) {
                                        LockSupport.parkNanos(200_000);
                                    }
                                }));
        rig.later("hang()");
        LimitTest.await(started);
        return release;
    }

    /** Before, it was dropped in silence, and periodic work ended for good. */
    @Test
    void oneTimerTooManyIsAnError() {
        rig = new ScriptRig(root, clock).start();
        Duration later = Duration.ofDays(1);
        for (int i = 0; i < 10_000; i++) {
            rig.runtime.schedule("timer", later, () -> {});
        }
        assertThrows(
                RejectedExecutionException.class,
                () -> rig.runtime.schedule("one more", later, () -> {}));
    }

    /** A client that calls during a reset gets the value, be it of the old state or the new. */
    @Test
    void noCallIsRefusedDuringAReset() {
        rig = new ScriptRig(root, clock).start();
        for (int i = 0; i < 50; i++) {
            CompletableFuture<LuaStatus> reset = rig.runtime.reset();
            List<CompletableFuture<String>> values = new ArrayList<>();
            while (!reset.isDone()) {
                values.add(rig.later("checkAlive()"));
                values.add(rig.later("'0d123456'"));
                if (values.size() == 1_000) { // far fewer than may wait
                    assertValues(values);
                }
            }
            assertValues(values);
        }
    }

    private static void assertValues(List<CompletableFuture<String>> values) {
        for (CompletableFuture<String> each : values) {
            String value = ScriptRig.await(each); // fails if the call was refused
            assertEquals("0d123456", value);
        }
        values.clear();
    }

    /** Returns the threads of all states, the newest at the end. */
    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("sirocco-home-lua"))
                .sorted(Comparator.comparingLong(Thread::threadId))
                .toList();
    }

    @Test
    void outOfMemoryDiscardsTheState() {
        rig = new ScriptRig(root, clock);
        rig.script("USER.LUA", "v = 1").start();
        rig.context
                .globals()
                .set(
                        "fill",
                        LimitTest.java(
                                () -> {
                                    throw new OutOfMemoryError("made by the test");
                                }));
        ScriptThread old = rig.context.scripts();
        assertEquals("nil", rig.value("{pcall(fill)}"));
        while (old.execute("wait", () -> {}) || rig.context.scripts() == old) {
            LockSupport.parkNanos(200_000);
        }
        while (!"1".equals(rig.value("v"))) {
            LockSupport.parkNanos(200_000); // the state that boots has no v yet
        }
        assertTrue(rig.logged().contains("out of memory"), rig.logged());
    }

    @Test
    void closeCompletesWaitingCalls() {
        rig = new ScriptRig(root, clock);
        rig.script("USER.LUA", "function busy() started() while true do end end").start();
        CountDownLatch started = new CountDownLatch(1);
        rig.context.globals().set("started", LimitTest.java(started::countDown));
        CompletableFuture<String> busy = rig.later("busy()");
        LimitTest.await(started);
        CompletableFuture<String> behind = rig.later("1");
        rig.close();
        assertEquals("nil", ScriptRig.await(busy));
        assertEquals("nil", ScriptRig.await(behind));
        assertFalse(rig.runtime.call("1", value -> {}));
        assertThrows(Exception.class, () -> rig.runtime.reset().join());
    }

    // Objects

    @Test
    void objectsAreTables() {
        rig = new ScriptRig(root, clock);
        rig.objects = name -> Optional.of(rig.new Recorder(name));
        rig.script(
                "USER.LUA",
                """
                CLU1 = OBJECT:new(0, 0x0A489001, "CLU0d123456")
                TIM1 = OBJECT:new(6, "TIM1")
                HTTP = GATE:new(120, "HTTP")
                seen = ""
                TIM1:add_event(0, function(v) seen = seen .. "a" .. tostring(v) end)
                TIM1:add_event(0, function(v) seen = seen .. "b" .. tostring(v) end)
                """);
        rig.start();
        assertEquals("CLU0d123456", rig.value("CLU1.name"));
        assertEquals("HTTP", rig.value("HTTP.name"));
        assertEquals("nil", rig.value("TIM1:set(0, 500)"));
        assertEquals("500", rig.value("TIM1:get(0)"));
        assertEquals("nil", rig.value("TIM1:get(1)"));
        assertEquals("{1=7, 2=8, 3=9}", rig.value("{TIM1:execute(7, 8, 9)}"));
        rig.value("TIM1:execute(1, 5)");
        rig.value("1");
        assertEquals("a5b5", rig.value("seen"));
        assertEquals("nil", rig.value("TIM1:get('x')"));
        assertEquals("nil", rig.value("OBJECT:new(6)"));
    }

    @Test
    void anUnknownClassStoresOnly() {
        rig = new ScriptRig(root, clock);
        rig.script("USER.LUA", "X = OBJECT:new(7777, 'X')").start();
        assertEquals("1", rig.value("(function() X:set(3, 1) return X:get(3) end)()"));
        assertEquals("nil", rig.value("X:execute(0)"));
    }

    /** Defect 10 of the reference: no response at all. */
    @Test
    void anExceptionInAnObjectIsNil() {
        rig = new ScriptRig(root, clock);
        rig.objects = name -> Optional.of(rig.new Recorder(name));
        rig.script("USER.LUA", "CLU1 = OBJECT:new(0, 0, 'CLU1')").start();
        assertEquals("nil", rig.value("CLU1:execute(20, 'a', 'b')"));
        assertEquals("false", rig.value("(pcall(CLU1.execute, CLU1, 20))"));
        assertTrue(rig.logged().contains("CLU1:execute(20) failed: no project"), rig.logged());
    }

    @Test
    void anExceptionOutsideOfScriptsNamesNoClassInTheirLog() {
        rig = new ScriptRig(root, clock);
        rig.objects =
                name ->
                        Optional.of(
                                rig.new Recorder(name) {
                                    @Override
                                    public void setUp() {
                                        throw new IllegalStateException("on purpose");
                                    }
                                });
        rig.script("USER.LUA", "X = OBJECT:new(7, 'X')").start();
        assertTrue(rig.logged().contains("X: setUp: an error inside the"), rig.logged());
        assertFalse(rig.logged().contains("Exception"), rig.logged());
    }

    @Test
    void thereIsALimitOfObjects() {
        rig = new ScriptRig(root, clock).start();
        rig.value("(function() for i = 1, 2000 do OBJECT:new(7, 'X') n = i end end)()");
        assertEquals("1000", rig.value("n"));
    }
}

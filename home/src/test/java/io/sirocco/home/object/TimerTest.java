// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static io.sirocco.home.object.Scripts.call;
import static io.sirocco.home.object.Scripts.get;
import static io.sirocco.home.object.Scripts.set;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.lib.ZeroArgFunction;

class TimerTest {
    private final Scripts scripts = new Scripts("2026-11-27T12:00:00Z");
    private final Timer timer = new Timer("TIM1", scripts.context());

    TimerTest() {
        scripts.record(timer, 0, "timer");
        scripts.record(timer, 1, "start");
        scripts.record(timer, 2, "stop");
        scripts.record(timer, 3, "pause");
    }

    /** Defect 5 of the reference: 500 ms became 1,000 ms. */
    @Test
    void anIntervalHasItsPeriod() {
        set(timer, 0, 500);
        set(timer, 1, 1);
        call(timer, 0);
        advance(10_000);
        List<String> events = scripts.events();
        assertEquals(21, events.size(), "OnStart and 20 times OnTimer");
        assertEquals("start", events.getFirst());
        advance(499);
        assertEquals(List.of(), scripts.events());
        advance(1);
        assertEquals(List.of("timer"), scripts.events());
    }

    /** Before, it waited for the next event of the object. */
    @Test
    void anEventBehindAHandlerRunsWhenScriptsHaveTimeAgain() {
        timer.addEvent(
                1,
                new ZeroArgFunction() {
                    @Override
                    public LuaValue call() {
                        timer.fire(2);
                        scripts.thread.refuse(name -> name.equals("TIM1 event"));
                        scripts.thread.run(); // as when this handler is interrupted
                        return NIL;
                    }
                });
        timer.fire(1);
        assertEquals(List.of("start"), scripts.events());
        scripts.thread.refuse(name -> false);
        advance(100);
        assertEquals(List.of("stop"), scripts.events());
    }

    @Test
    void aLateIntervalDoesNotDrift() {
        set(timer, 0, 500);
        set(timer, 1, 1);
        call(timer, 0);
        scripts.thread.block(Duration.ofMillis(630));
        assertEquals(List.of("start", "timer"), scripts.events());
        advance(370);
        assertEquals(List.of("timer"), scripts.events());
    }

    @Test
    void intervalsOfABusyTimeTriggerOnce() {
        set(timer, 0, 100);
        set(timer, 1, 1);
        call(timer, 0);
        scripts.thread.block(Duration.ofMillis(3_050));
        assertEquals(List.of("start", "timer"), scripts.events());
        advance(49);
        assertEquals(List.of(), scripts.events());
        advance(1);
        assertEquals(List.of("timer"), scripts.events());
    }

    @Test
    void aCountdownTriggersOnce() {
        set(timer, 0, 1_500);
        call(timer, 0);
        assertEquals("1", get(timer, 2));
        advance(500);
        assertEquals("1000", get(timer, 3));
        advance(60_000);
        assertEquals(List.of("start", "stop", "timer"), scripts.events());
        assertEquals("0", get(timer, 2));
        assertEquals("0", get(timer, 3));
        assertEquals(0, scripts.thread.scheduled());
    }

    @Test
    void aPauseKeepsTheRest() {
        set(timer, 0, 1_000);
        call(timer, 0);
        advance(300);
        call(timer, 2);
        assertEquals("2", get(timer, 2));
        advance(60_000);
        assertEquals("700", get(timer, 3));
        call(timer, 2);
        advance(699);
        assertEquals(List.of("start", "pause", "start"), scripts.events());
        advance(1);
        assertEquals(List.of("stop", "timer"), scripts.events());
    }

    @Test
    void anIntervalGoesOnAfterAPause() {
        set(timer, 0, 1_000);
        set(timer, 1, 1);
        call(timer, 0);
        advance(300);
        call(timer, 2);
        advance(5_000);
        call(timer, 0);
        scripts.events();
        advance(700);
        assertEquals(List.of("timer"), scripts.events());
        advance(1_000);
        assertEquals(List.of("timer"), scripts.events());
    }

    @Test
    void stopAndStartAgain() {
        set(timer, 0, 1_000);
        call(timer, 0);
        advance(900);
        call(timer, 0);
        advance(900);
        call(timer, 1);
        call(timer, 1);
        advance(10_000);
        assertEquals(List.of("start", "start", "stop"), scripts.events());
    }

    @Test
    void theClockMayBeSet() {
        set(timer, 0, 1_000);
        call(timer, 0);
        scripts.thread.setClock(Instant.EPOCH);
        advance(1_000);
        assertEquals(List.of("start", "stop", "timer"), scripts.events());
    }

    @Test
    void wrongValuesChangeNothing() {
        set(timer, 0, 0);
        set(timer, 0, "soon");
        set(timer, 1, 2);
        set(timer, 2, 1);
        assertEquals("1000", get(timer, 0));
        assertEquals("0", get(timer, 1));
        assertEquals("0", get(timer, 2));
    }

    @Test
    void aResetEndsIt() {
        call(timer, 0);
        timer.close();
        assertEquals(0, scripts.thread.scheduled());
    }

    private void advance(int millis) {
        scripts.thread.advance(Duration.ofMillis(millis));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static io.sirocco.home.object.Scripts.call;
import static io.sirocco.home.object.Scripts.get;
import static io.sirocco.home.object.Scripts.set;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sirocco.home.schedule.Zones;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.lib.ZeroArgFunction;

class CluObjectTest {
    private final Scripts scripts = new Scripts("2026-11-28T23:30:05Z"); // a Saturday
    private final FakeController controller = new FakeController();
    private CluObject clu;
    private boolean restored;

    @BeforeEach
    void create() {
        controller.zoneChanged = () -> scripts.zone = Zones.of(controller.zone);
        controller.zoneChanged.run();
        clu = new CluObject("CLU0", scripts.context(), controller, () -> restored = true);
        scripts.record(clu, 0, "init");
        scripts.record(clu, 13, "time");
        scripts.record(clu, 20, "mqtt");
    }

    private List<String> features(int... indexes) {
        return Arrays.stream(indexes).mapToObj(index -> get(clu, index)).toList();
    }

    @Test
    void dateAndTimeByTheZone() {
        assertEquals(
                List.of("2026-11-28", "23:30:05", "28", "11", "2026", "6", "23", "30"),
                features(5, 6, 7, 8, 9, 10, 11, 12));
        set(clu, 14, 0);
        assertEquals(
                List.of("2026-11-29", "00:30:05", "29", "11", "2026", "0", "0", "30"),
                features(5, 6, 7, 8, 9, 10, 11, 12));
        assertEquals("1795908605", get(clu, 13));
    }

    /** Defect of the reference: it returned 7. */
    @Test
    void dayOfWeekOfSundayIsZero() {
        scripts.thread.advance(Duration.ofHours(1));
        assertEquals("0", get(clu, 10));
        scripts.thread.advance(Duration.ofDays(1));
        assertEquals("1", get(clu, 10));
    }

    /** Defect of the reference: it was that of the process. */
    @Test
    void uptimeSinceReset() {
        scripts.thread.advance(Duration.ofSeconds(100));
        assertEquals("100", get(clu, 0));
        create();
        scripts.thread.advance(Duration.ofSeconds(5));
        assertEquals("5", get(clu, 0));
    }

    /** Before, MQTT kept the settings of an earlier start for ever. */
    @Test
    void onInitWaitsForScriptsThatAreBusy() {
        scripts.thread.refuse(name -> name.endsWith(" event 0"));
        clu.setUp();
        assertEquals(List.of(), scripts.events());
        scripts.thread.refuse(name -> false);
        scripts.thread.advance(Duration.ofMillis(100));
        assertEquals(List.of("init"), scripts.events());
        assertEquals(1, controller.calls.size());
    }

    /** A thread that ends late must not take the commands of its successor. */
    @Test
    void aCloseLeavesTheCommandsToItsSuccessor() {
        clu.setUp();
        CluObject first = clu;
        create();
        clu.setUp();
        scripts.events();
        first.close();
        controller.received.accept("id", "payload");
        assertEquals(List.of("mqtt id payload"), scripts.events());
    }

    @Test
    void initOnceAndStoredVariablesBefore() {
        clu.addEvent(
                0,
                new ZeroArgFunction() {
                    @Override
                    public LuaValue call() {
                        assertEquals(true, restored);
                        return NIL;
                    }
                });
        clu.setUp();
        assertEquals(List.of("init"), scripts.events());
    }

    @Test
    void timeChange() {
        clu.setUp();
        scripts.events();
        set(clu, 14, 0);
        assertEquals(List.of("time"), scripts.events());
        set(clu, 14, 0);
        scripts.thread.advance(Duration.ofSeconds(5));
        scripts.thread.setClock(scripts.thread.clock().instant().plusSeconds(59));
        scripts.thread.advance(Duration.ofSeconds(5));
        assertEquals(List.of(), scripts.events());
        scripts.thread.setClock(scripts.thread.clock().instant().minusSeconds(60));
        scripts.thread.advance(Duration.ofSeconds(5));
        assertEquals(List.of("time"), scripts.events());
        scripts.thread.setClock(Instant.parse("2030-01-01T00:00:00Z"));
        scripts.thread.advance(Duration.ofSeconds(1));
        assertEquals(List.of("time"), scripts.events());
        clu.close();
        assertEquals(0, scripts.thread.scheduled());
    }

    @Test
    void wrongZonesChangeNothing() {
        set(clu, 14, 23);
        set(clu, 14, "Warsaw");
        assertEquals("22", get(clu, 14));
    }

    @Test
    void log() {
        call(clu, 0, "one");
        call(clu, 0, 2);
        assertEquals("one\n2", get(clu, 1));
        call(clu, 1);
        assertEquals("", get(clu, 1));
    }

    @Test
    void mqttIsAppliedOnceForSeveralChanges() {
        set(clu, 20, "tcp://u:p@h:1883");
        set(clu, 21, LuaValue.TRUE);
        assertEquals(List.of(), controller.calls);
        start();
        set(clu, 23, LuaValue.TRUE);
        set(clu, 24, "home");
        scripts.events();
        set(clu, 21, 0);
        scripts.events();
        assertEquals(
                List.of(
                        "tcp://u:p@h:1883 MQTT on",
                        "tcp://u:p@h:1883 MQTT on, discovery below home",
                        "tcp://u:p@h:1883 MQTT off, discovery below home"),
                controller.calls.stream().distinct().toList());
        assertEquals(4, controller.calls.size(), "after Init(), OnInit and each change");
        controller.connected = true;
        assertEquals("true", get(clu, 22));
    }

    /** Defect 3 of the reference: Object Manager sets the features in OnInit, one by one. */
    @Test
    void mqttIsNotOffUntilOnInitHasEnded() {
        onInit(
                () -> {
                    set(clu, 20, "tcp://h");
                    set(clu, 21, LuaValue.TRUE);
                    set(clu, 23, LuaValue.TRUE);
                });
        start();
        assertEquals(
                List.of("tcp://h MQTT on, discovery below homeassistant"),
                controller.calls.stream().distinct().toList());
    }

    @Test
    void mqttThatOnInitDoesNotSetIsOff() {
        start();
        assertEquals(List.of(" MQTT off"), controller.calls);
    }

    @Test
    void aValueInOnInitIsForTheBrokerThatIsSet() {
        onInit(
                () -> {
                    set(clu, 20, "tcp://h");
                    set(clu, 21, LuaValue.TRUE);
                    call(clu, 21, "id", 1);
                });
        start();
        assertEquals(List.of("tcp://h MQTT on", "id=1"), controller.calls.subList(0, 2));
    }

    private void start() {
        clu.setUp();
        assertEquals(List.of("init"), scripts.events());
    }

    private void onInit(Runnable handler) {
        clu.addEvent(
                0,
                new ZeroArgFunction() {
                    @Override
                    public LuaValue call() {
                        handler.run();
                        return NIL;
                    }
                });
    }

    @Test
    void userValues() {
        start();
        controller.calls.clear();
        call(clu, 20, "Name", "id", "temperature", LuaValue.NIL, "{{ value }}");
        call(clu, 21, "id", 21.5);
        controller.received.accept("id", "{\"a\":1}");
        assertEquals(List.of("Name|id|temperature||{{ value }}", "id=21.5"), controller.calls);
        assertEquals(List.of("mqtt id {\"a\":1}"), scripts.events());
        assertEquals("{\"a\":1}", get(clu, 25));
    }

    /** Defect 10 of the reference: no reply at all when the project lacks the controller. */
    @Test
    void aChangedObjectHasAReply() {
        assertEquals("nil", call(clu, 30, "CLU1->BUT1").tojstring());
        assertEquals("nil", call(clu, 30, "CLU1->BUT1", "long_press").tojstring());
        assertEquals(List.of("CLU1->BUT1 press", "CLU1->BUT1 long_press"), controller.calls);
        assertThrows(LuaError.class, () -> call(clu, 30, "CLU1->BUT1", "twice"));
        assertThrows(LuaError.class, () -> call(clu, 30));
        assertThrows(LuaError.class, () -> call(clu, 20, "Name"));
    }
}

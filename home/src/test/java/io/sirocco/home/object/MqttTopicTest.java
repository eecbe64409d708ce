// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static io.sirocco.home.object.Scripts.call;
import static io.sirocco.home.object.Scripts.set;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.mqtt.Mqtt;
import io.sirocco.home.mqtt.Topics;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.VarArgFunction;

class MqttTopicTest {
    private final List<String> published = new ArrayList<>();
    private final Map<String, BiConsumer<String, String>> subscribed = new HashMap<>();
    private final Scripts scripts =
            new Scripts("2026-11-27T12:00:00Z", Path.of("/does-not-exist"), new Recorder());
    private final MqttTopic topic = new MqttTopic("MQT1", scripts.context());

    /** Our own seam in memory; the tests of the package mqtt have a broker. */
    private final class Recorder implements Mqtt {
        @Override
        public void publish(String to, String payload, boolean retained) {
            published.add(to + " " + payload + (retained ? " retained" : ""));
        }

        @Override
        public Subscription subscribe(String filter, BiConsumer<String, String> received) {
            subscribed.put(filter, received);
            return () -> subscribed.remove(filter);
        }

        @Override
        public boolean connected() {
            return true;
        }
    }

    @Test
    void publishesValues() {
        call(topic, 10, "a/b", "text");
        call(topic, 10, "a/b", 21.5);
        call(topic, 10, "a/b", scripts.lua("return {1, 2, {x = true}}"));
        call(topic, 10, "a/b", LuaValue.TRUE, LuaValue.TRUE);
        set(topic, 0, "now");
        set(topic, 1, "current");
        call(topic, 10);
        assertEquals(
                List.of(
                        "a/b text",
                        "a/b 21.5",
                        "a/b [1,2,{\"x\":true}]",
                        "a/b true retained",
                        "now current"),
                published);
    }

    /** Defect 7 of the reference: arrays came back as objects. */
    @Test
    void anArrayIsPublishedAsItCame() {
        call(topic, 0, "in");
        subscribed.get("in").accept("in", "{\"list\":[1,2],\"none\":null}");
        scripts.thread.run();
        assertEquals("1", topic.get(1).get("list").get(1).tojstring());
        call(topic, 10, "out");
        assertEquals(List.of("out {\"list\":[1,2],\"none\":null}"), published);
    }

    /** Before, messages of 4 MiB filled the heap behind a script that is busy. */
    @Test
    void payloadsThatWaitAreBounded() {
        var received = new ArrayList<Integer>();
        topic.addEvent(
                1,
                new VarArgFunction() {
                    @Override
                    public Varargs invoke(Varargs arguments) {
                        received.add(arguments.arg(2).tojstring().length());
                        return NONE;
                    }
                });
        call(topic, 0, "in");
        int size = (1 << 20) - 1_024;
        for (int i = 0; i < 6; i++) {
            subscribed.get("in").accept("in", "x".repeat(size));
        }
        scripts.thread.run();
        assertEquals(List.of(size, size, size, size), received);
        received.clear();
        subscribed.get("in").accept("in", "x".repeat(5 * size));
        scripts.thread.run();
        subscribed.get("in").accept("in", "x");
        scripts.thread.run();
        assertEquals(List.of(5 * size, 1), received, "one alone, and again");
    }

    /** Before, each object had a share of its own, and user values had no bound. */
    @Test
    void payloadsThatWaitAreBoundedForTheControllerAsAWhole() {
        ObjectContext context = scripts.context();
        var controller = new FakeController();
        var clu = new CluObject("CLU0", context, controller, () -> {});
        clu.setUp();
        scripts.thread.run();
        scripts.record(clu, 20, "value");
        for (String name : List.of("a", "b")) {
            var object = new MqttTopic(name, context);
            call(object, 0, name);
            scripts.record(object, 1, "message");
        }
        String payload = "x".repeat((1 << 20) - 1_024);
        for (int i = 0; i < 3; i++) {
            subscribed.get("a").accept("a", payload);
            subscribed.get("b").accept("b", payload);
            controller.received.accept("id", payload);
        }
        assertEquals(
                List.of("message a", "message b", "value id", "message a"),
                scripts.events().stream()
                        .map(event -> event.substring(0, event.lastIndexOf(' ')))
                        .toList());
        assertEquals(
                List.of("MQTT messages are lost, as of b: the scripts do not keep up"),
                scripts.thread.warnings());
        controller.received.accept("id", "again");
        assertEquals(List.of("value id again"), scripts.events());
    }

    @Test
    void eachHandlerSeesItsOwnMessage() {
        var seen = new ArrayList<String>();
        topic.addEvent(
                1,
                new VarArgFunction() {
                    @Override
                    public Varargs invoke(Varargs arguments) {
                        seen.add(
                                Scripts.get(topic, 0)
                                        + " "
                                        + Scripts.get(topic, 1)
                                        + " "
                                        + arguments.arg(2));
                        return NONE;
                    }
                });
        call(topic, 0, "a/#");
        subscribed.get("a/#").accept("a/1", "5");
        subscribed.get("a/#").accept("a/2", "not JSON");
        subscribed.get("a/#").accept("a/3", "");
        scripts.thread.run();
        assertEquals(List.of("a/1 5 5", "a/2 not JSON not JSON", "a/3  "), seen);
    }

    @ParameterizedTest
    @ValueSource(strings = {"12:30", "21.5 C", "0123", "true story", "NaN", "{a:1}", "[1", " "})
    void textThatOnlyBeginsLikeJsonIsAString(String payload) {
        assertEquals(payload, MqttTopic.value(payload).tojstring());
        assertTrue(MqttTopic.value(payload) instanceof LuaString);
    }

    @Test
    void theLoopGuardRefusesOwnTopics() {
        call(topic, 0, "home/+/set");
        assertEquals("false", call(topic, 10, "home/lamp/set", "1").tojstring());
        assertEquals("true", call(topic, 10, "home/lamp/state", "1").tojstring());
        call(topic, 1, "home/+/set");
        assertEquals("true", call(topic, 10, "home/lamp/set", "1").tojstring());
        assertTrue(subscribed.isEmpty());
    }

    @ParameterizedTest
    @CsvSource({
        "a/b, a/b, true",
        "a/+, a/b, true",
        "a/+, a/b/c, false",
        "a/#, a/b/c, true",
        "a/#, a, true",
        "#, a/b, true",
        "#, $SYS/x, false",
        "+/b, a/b, true",
        "a/b, a, false",
        "a, a/b, false",
    })
    void filters(String filter, String name, boolean matches) {
        assertEquals(matches, Topics.matches(filter, name));
    }

    @Test
    void wrongArguments() {
        assertThrows(LuaError.class, () -> call(topic, 0, "a/#/b"));
        assertThrows(LuaError.class, () -> call(topic, 0, "a+"));
        assertThrows(LuaError.class, () -> call(topic, 0, ""));
        assertThrows(LuaError.class, () -> call(topic, 10));
        assertThrows(LuaError.class, () -> call(topic, 10, "a/+", "x"));
        assertThrows(LuaError.class, () -> call(topic, 10, "a", scripts.globals.get("print")));
    }

    @Test
    void aResetEndsTheSubscriptions() {
        call(topic, 0, "a");
        topic.setUp();
        scripts.record(topic, 0, "init");
        assertEquals(List.of("init"), scripts.events());
        topic.close();
        assertTrue(subscribed.isEmpty());
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.lua.LuaRuntime;
import io.sirocco.home.lua.LuaStatus;
import io.sirocco.home.lua.ObjectFactory;
import io.sirocco.home.lua.ScriptThread;
import io.sirocco.home.mqtt.NoMqtt;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/** The objects as scripts use them, on the thread and in the sandbox of a controller. */
class ObjectsInScriptsTest implements ObjectFactory {
    private static final String MAIN =
            """
            function checkAlive() return "0d123456" end
            require "user"
            SYSTEM.Init()
            repeat SYSTEM.Loop() until 1==2
            """;
    private static final String USER =
            """
            x = 0
            CLU = OBJECT:new(0, 0x7F000001, "CLU0")
            TIM = OBJECT:new(6, "TIM1")
            STO = OBJECT:new(44, "STO1")
            CAL = OBJECT:new(15, "CAL1")
            HTTP = GATE:new(120, "HTTP1")
            STO:execute(4, "x")
            HTTP:set(10, 0)
            HTTP:add_event(0, function()
                HTTP:set(8, {path = HTTP:get(0), list = {1, null}})
                HTTP:execute(0)
            end)
            ticks = 0
            TIM:set(0, 5)
            TIM:set(1, 1)
            TIM:add_event(0, function() ticks = ticks + 1 end)
            CLU:add_event(0, function()
                seen = x
                CAL:set(0, "0 6 * * Mon-Fri")
                CAL:execute(0)
                TIM:execute(0)
                ready = true
            end)
            """;

    @TempDir Path folder;
    private LuaRuntime runtime;
    private StandardObjects objects;

    @BeforeEach
    void start() throws Exception {
        Path scripts = Files.createDirectories(folder.resolve("root/a"));
        Files.writeString(scripts.resolve("MAIN.LUA"), MAIN);
        Files.writeString(scripts.resolve("USER.LUA"), USER);
        objects = new StandardObjects(new FakeController(), folder, "1.2.3");
        runtime = LuaRuntime.create(folder.resolve("root"), report -> {}, settings -> {});
        assertEquals(LuaStatus.RUNNING, runtime.start(this).get(60, TimeUnit.SECONDS));
    }

    @AfterEach
    void stop() {
        runtime.close();
        objects.close();
    }

    @Override
    public ObjectContext context(ScriptThread scripts, LuaValue globals) {
        var address = (Inet4Address) InetAddress.ofLiteral("127.0.0.1");
        return new ObjectContext(
                scripts, globals, folder, address, () -> ZoneId.of("UTC"), new NoMqtt());
    }

    @Override
    public Optional<HomeObject> create(
            int type, boolean gate, String name, Varargs arguments, ObjectContext context) {
        return objects.create(type, name, context);
    }

    private String value(String script) throws Exception {
        return later(script).get(60, TimeUnit.SECONDS);
    }

    private CompletableFuture<String> later(String script) {
        var value = new CompletableFuture<String>();
        runtime.call(script, value::complete);
        return value;
    }

    private void await(String condition) throws Exception {
        long end = System.nanoTime() + 60_000_000_000L;
        while (!value(condition).equals("true")) {
            if (System.nanoTime() > end) {
                throw new AssertionError(condition + " has not become true");
            }
        }
    }

    @Test
    void timersTick() throws Exception {
        await("ticks >= 3");
        assertEquals("1", value("TIM:get(2)"));
        assertEquals("1", value("CAL:get(3)"));
        assertEquals("nil", value("TIM:execute(1)"));
    }

    /** 1,000 runs of rules with rare days: seconds of work in Java. */
    @Test
    void aCalendarDelaysNoOtherCall() throws Exception {
        await("ready == true");
        value("CAL:set(0, ('0 0 * 2 Fri#5;'):rep(100))");
        value("CAL:execute(3, 1000)");
        CompletableFuture<String> next = later("CAL:get(2)");
        assertEquals("0d123456", value("checkAlive()"));
        assertFalse(next.isDone());
    }

    @Test
    void warningsOfObjectsAreInTheLogOfTheScripts() throws Exception {
        await("ready == true");
        value("CAL:set(0, '61 * * * *')");
        value("OBJECT:new(77, 'OTHER'):execute(5)");
        String log = runtime.log().lines().toString();
        assertTrue(log.contains("CAL1: feature Rule: "), log);
        assertTrue(log.contains("OTHER:execute(5): this class of objects has no such method"), log);
    }

    @Test
    void storedVariablesAreThereBeforeOnInit() throws Exception {
        await("ready == true");
        assertEquals("0", value("seen"));
        value("rawset(_G, 'x', 41)");
        runtime.reset().get(60, TimeUnit.SECONDS);
        await("ready == true");
        assertEquals("41", value("seen"));
        assertEquals("{\"x\":41}", Files.readString(folder.resolve("storage/storage.json")));
    }

    @Test
    void aResetWithAnEndlessLoopFreesThePortAndSaves() throws Exception {
        await("ready == true");
        value("rawset(_G, 'x', 7)");
        await("HTTP:get(12) == 1");
        String port = value("HTTP:get(10)");
        Files.writeString(
                folder.resolve("root/a/USER.LUA"),
                USER.replace("set(10, 0)", "set(10, " + port + ")"));
        runtime.call("(function() while true do end end)()", value -> {});
        runtime.reset().get(60, TimeUnit.SECONDS);
        await("ready == true");
        assertEquals("7", value("seen"));
        await("HTTP:get(12) == 1");
        assertEquals(port, value("HTTP:get(10)"));
        assertEquals("{\"list\":[1,null],\"path\":\"/a\"}", response(port));
    }

    private static String response(String port) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/a"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString(UTF_8))
                    .body();
        }
    }
}

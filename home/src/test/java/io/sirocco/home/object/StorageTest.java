// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static io.sirocco.home.object.Scripts.call;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.mqtt.NoMqtt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.luaj.vm2.LuaError;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class StorageTest {
    private final List<String> logged = new CopyOnWriteArrayList<>(); // for the owner
    @TempDir Path runtime;
    private StorageFile stored;
    private Scripts scripts;
    private Storage storage;

    @BeforeEach
    void start() {
        stored = new StorageFile(runtime, (level, line) -> logged.add(line));
        begin();
    }

    private void begin() {
        scripts = new Scripts("2026-11-27T12:00:00Z", runtime, new NoMqtt());
        storage = new Storage("STO1", scripts.context(), new Storage.Shared(stored));
    }

    /** As a reset does. */
    private void reset() {
        storage.close();
        begin();
    }

    private void second() {
        scripts.thread.advance(Duration.ofSeconds(1));
        stored.flush();
        assertEquals(List.of(), scripts.thread.errors());
    }

    /** The reference saved, but did not restore. */
    @Test
    void valuesAreRestoredIntoTheGlobals() throws Exception {
        call(storage, 4, "x");
        storage.setUp();
        scripts.lua("x = 41");
        second();
        assertEquals("{\"x\":41}", content());
        reset();
        scripts.lua("x = 0"); // as a script begins
        call(storage, 4, "x");
        storage.setUp();
        assertEquals("41", scripts.lua("return x").tojstring());
    }

    @Test
    void aChangeIsInTheFileWithinASecond() throws Exception {
        call(storage, 4, "x");
        storage.setUp();
        for (int i = 0; i < 5; i++) {
            scripts.lua("x = " + i);
            second();
            assertEquals("{\"x\":" + i + "}", content());
        }
    }

    @Test
    void aResetSavesAtOnce() throws Exception {
        call(storage, 4, "x");
        storage.setUp();
        scripts.lua("x = 'last'");
        reset();
        assertEquals("{\"x\":\"last\"}", content());
    }

    @Test
    void typesAndNestedTables() {
        call(storage, 4, "t");
        call(storage, 4, "gone");
        storage.setUp();
        scripts.lua(
                "gone = nil t = {a = {1, 2, {b = true}}, [5] = 'five', ['[5]'] = 'text',"
                        + " e = {}, f = 0.5, s = 'zażółć 🏠'}");
        second();
        reset();
        storage.setUp();
        assertEquals(
                "2 true five text 0 0.5 zażółć 🏠",
                LuaText.text(
                        scripts.lua(
                                "return t.a[2] .. ' ' .. tostring(t.a[3].b) .. ' ' .. t[5] .. ' '"
                                        + " .. t['[5]'] .. ' ' .. #t.e .. ' ' .. t.f .. ' ' .. t.s")));
        assertTrue(scripts.globals.get("gone").isnil());
    }

    @Test
    void theNullOfJsonIsRestored() {
        scripts.globals.set("t", LuaJson.parse("{\"a\":null}"));
        call(storage, 4, "t");
        storage.setUp();
        second();
        reset();
        storage.setUp();
        assertSame(LuaJson.NULL, scripts.globals.get("t").get("a"));
    }

    @Test
    void whatCannotBeStoredKeepsItsOldValue() throws Exception {
        call(storage, 4, "x");
        call(storage, 4, "y");
        storage.setUp();
        scripts.lua("x = 1 y = 1");
        second();
        scripts.lua("x = print y = 2");
        second();
        assertEquals("{\"x\":1,\"y\":2}", content());
        scripts.lua("x = {} x.x = x");
        second();
        scripts.lua("x = '\\200'");
        second();
        assertEquals("{\"x\":1,\"y\":2}", content());
    }

    @Test
    void functionsAndObjectsAreNotReplaced() throws Exception {
        Files.createDirectories(runtime.resolve("storage"));
        Files.writeString(file(), "{\"print\":1,\"o\":1,\"x\":2}");
        scripts.lua("o = {name = 'TIM1', get = function() end}"); // as objects are in scripts
        storage.setUp();
        assertTrue(scripts.globals.get("print").isfunction());
        assertTrue(scripts.globals.get("o").istable());
        assertEquals(2, scripts.globals.get("x").toint());
    }

    @Test
    void valuesThatNobodyStoresAnyMoreStay() throws Exception {
        Files.createDirectories(runtime.resolve("storage"));
        Files.writeString(file(), "{\"old\":1}");
        call(storage, 4, "x");
        storage.setUp();
        scripts.lua("x = 2");
        second();
        assertEquals("{\"old\":1,\"x\":2}", content());
    }

    @Test
    void eraseAll() throws Exception {
        call(storage, 4, "x");
        storage.setUp();
        scripts.lua("x = 2");
        second();
        call(storage, 3);
        stored.flush();
        assertEquals("{}", content());
        assertEquals(2, scripts.globals.get("x").toint());
        second();
        assertEquals("{}", content());
    }

    @Test
    void aDamagedFileIsSetAside() throws Exception {
        Files.createDirectories(runtime.resolve("storage"));
        Files.writeString(file(), "{\"x\":");
        call(storage, 4, "x");
        storage.setUp();
        scripts.lua("x = 5");
        second();
        assertEquals("{\"x\":5}", content());
        try (Stream<Path> files = Files.list(file().getParent())) {
            Path aside = files.filter(each -> each.toString().contains("damaged")).findAny().get();
            assertEquals("{\"x\":", Files.readString(aside));
            assertEquals(1, logged.size(), logged::toString);
            String start = file() + " is damaged: it is not JSON, from line 1. It is kept as ";
            assertTrue(logged.getFirst().startsWith(start + aside.getFileName()), logged::toString);
        }
    }

    @Test
    void aFileThatCannotBeReadIsNotReplaced() throws Exception {
        Files.createDirectories(file()); // a folder
        call(storage, 4, "x");
        storage.setUp();
        scripts.lua("x = 5");
        second();
        assertTrue(Files.isDirectory(file()));
        assertEquals(
                List.of(
                        file()
                                + " cannot be read (Is a directory): no value is restored, and none"
                                + " is saved until the next reset, so that the file is not lost"),
                logged);
    }

    /** The owner deletes it to begin anew, and the scripts set the same value again. */
    @Test
    void aFileThatWasDeletedIsWrittenAgain() throws Exception {
        call(storage, 4, "x");
        storage.setUp();
        scripts.lua("x = 5");
        second();
        reset();
        Files.delete(file());
        call(storage, 4, "x");
        storage.setUp();
        assertTrue(scripts.globals.get("x").isnil());
        scripts.lua("x = 5");
        second();
        assertEquals("{\"x\":5}", content());
    }

    @Test
    void moreThanAMebibyteIsNotSaved() throws Exception {
        call(storage, 4, "x");
        storage.setUp();
        scripts.lua("x = 'short'");
        second();
        scripts.lua("x = string.rep('a', 1024 * 1024)");
        second();
        assertEquals("{\"x\":\"short\"}", content());
        scripts.lua("x = string.rep('a', 1024 * 1023)");
        second();
        assertEquals(1024 * 1023 + 8, Files.size(file()));
        assertEquals("100", Scripts.get(storage, 1));
    }

    @Test
    void wrongArguments() {
        assertThrows(LuaError.class, () -> call(storage, 4));
        assertThrows(LuaError.class, () -> call(storage, 4, scripts.globals));
    }

    @Tag("peers")
    @Test
    void aKilledWriterLeavesTheOldFileOrTheNewOne() throws Exception {
        killWriters(30);
    }

    @Test
    @Tag("heavy")
    void manyKilledWritersLeaveTheOldFileOrTheNewOne() throws Exception {
        killWriters(200);
    }

    private void killWriters(int rounds) throws Exception {
        long seed = System.nanoTime();
        System.out.println("killWriters: seed " + seed);
        var random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        int last = 0;
        for (int round = 0; round < rounds; round++) {
            Process writer = writer();
            try {
                assertEquals('!', writer.getInputStream().read(), "it has written once");
                writer.waitFor(random.nextInt(30_000), TimeUnit.MICROSECONDS);
            } finally {
                writer.destroyForcibly(); // SIGKILL
            }
            assertEquals(128 + 9, writer.waitFor());
            JsonNode values = JsonMapper.shared().readTree(Files.readAllBytes(file()));
            int x = values.get("x").intValue();
            assertTrue(x > last, "each writer goes on where the one before was: " + x);
            for (JsonNode each : values.get("t")) {
                assertEquals(x, each.intValue());
            }
            last = x;
        }
        new StorageFile(runtime, (level, line) -> logged.add(line)).read();
        try (Stream<Path> files = Files.list(file().getParent())) {
            assertEquals(List.of(file()), files.toList(), "what they left is deleted");
        }
        assertFalse(Files.readString(file()).isEmpty());
    }

    private Process writer() throws IOException {
        return new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Writer.class.getName(),
                        runtime.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Counts a variable and a table of 500 numbers for ever. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] arguments) {
            var scripts = new Scripts("2026-11-27T12:00:00Z", Path.of(arguments[0]), new NoMqtt());
            var file = new StorageFile(Path.of(arguments[0]), (level, line) -> {});
            var storage = new Storage("STO1", scripts.context(), new Storage.Shared(file));
            scripts.lua("x = 0");
            call(storage, 4, "x");
            call(storage, 4, "t");
            storage.setUp();
            for (int i = 0; ; i++) {
                scripts.lua("x = x + 1 t = {} for i = 1, 500 do t[i] = x end");
                scripts.thread.advance(Duration.ofSeconds(1));
                file.flush();
                if (i == 0) {
                    System.out.print('!');
                    System.out.flush();
                }
            }
        }
    }

    private Path file() {
        return runtime.resolve("storage/storage.json");
    }

    private String content() throws IOException {
        return Files.readString(file());
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.sirocco.net.Clock;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.luaj.vm2.Globals;
import org.luaj.vm2.Prototype;
import org.luaj.vm2.compiler.LuaC;

class ChunkCacheTest {
    private ChunkCache cache;

    @BeforeEach
    void create() {
        Globals globals = new Globals();
        LuaC.install(globals);
        ScriptLog log = new ScriptLog(Clock.system());
        cache = new ChunkCache(new Sandbox(globals, new ScriptFiles(Path.of("")), log));
    }

    @Test
    void aChunkIsCompiledOnce() throws IOException {
        Prototype first = cache.get("checkAlive()", "call");
        assertSame(first, cache.get(new String("checkAlive()"), "call"));
    }

    @Test
    void theOneUsedLongestAgoLeaves() throws IOException {
        Prototype first = cache.get("0", "call");
        Prototype second = cache.get("1", "call");
        for (int i = 2; i < 257; i++) {
            assertSame(first, cache.get("0", "call"));
            cache.get(Integer.toString(i), "call");
        }
        assertEquals(256, cache.size());
        assertSame(first, cache.get("0", "call"));
        assertNotSame(second, cache.get("1", "call"));
    }

    @Test
    void theTextIsBounded() throws IOException {
        for (int i = 0; i < 256; i++) {
            cache.get(i + " ".repeat(4_000), "call");
        }
        assertEquals(16, cache.size());
        cache.get("1" + " ".repeat(5_000), "call");
        assertEquals(16, cache.size());
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Defect 8 of the reference: a script blocked all requests, and an endless one even RESET. */
class SlowScriptsTest {
    private static final String LOOP = "(function() while true do end end)()";

    @TempDir Path directory;
    private CluRig rig;

    @BeforeEach
    void open() throws Exception {
        rig = new CluRig(directory);
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                LOOP,
                "(function() while true do pcall(function() while true do end end) end end)()",
                "(function() local f; f = function() return pcall(f) end; while true do f() end end)()",
                "SYSTEM:Wait(1000000)"
            })
    void othersAreServedMeanwhileAndAResetEndsIt(String script) throws Exception {
        try (CluClient slow = rig.client();
                CluClient other = rig.client()) {
            CompletableFuture<String> value = slow.execute(script);
            for (int i = 0; i < 20; i++) {
                assertTrue(get(other.checkAlive(0x0d123456)));
            }
            assertFalse(value.isDone(), "it still runs");
            get(other.reset());
            assertEquals("2", get(other.execute("1+1")));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(function() local s = 'x'; while true do s = s .. s end end)()",
                "(function() local t = {}; while true do t[#t + 1] = {} end end)()",
                "string.rep('x', 1e10)",
                "string.find(string.rep('a', 5000), string.rep('a-', 5000) .. 'b')",
                "(function() local s = string.rep('x', 1e6); return s..s..s..s..s..s..s end)()",
                "(function() local function f() return 1 + f() end return f() end)()"
            })
    void aScriptThatTakesTooMuchEndsAlone(String script) throws Exception {
        try (CluClient greedy =
                        CluClient.open(
                                rig.loops,
                                CluRig.LOOPBACK,
                                rig.clu.address(),
                                rig.project,
                                Duration.ofSeconds(60)); // as long as the limit of time, at most
                CluClient other = rig.client()) {
            CompletableFuture<String> value = greedy.execute(script);
            assertTrue(get(other.checkAlive(0x0d123456)));
            assertEquals("nil", value.get(60, TimeUnit.SECONDS));
            assertEquals("2", get(other.execute("1+1")));
        }
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }
}

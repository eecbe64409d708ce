// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sirocco.home.ObjectSnapshot.Feature;
import io.sirocco.home.lua.LuaStatus;
import io.sirocco.testkit.ManualClock;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@link Clu#objects} tells of the objects of the scripts. */
@Timeout(60)
class ObjectSnapshotTest {
    private static final String MAIN =
            """
            CLU = OBJECT:new(0, 0x7f000001, "CLU1")
            DOU1 = OBJECT:new(4, "DOU1")
            TIM1 = OBJECT:new(6, "TIM1")
            HTT1 = GATE:new(121, "HTT1")
            OWN1 = OBJECT:new(5000, "OWN1")
            OWN1:set(7, {})
            OWN1:set(3, string.rep("x", 300))
            CLU:set(20, "tcp://user:secret@127.0.0.1:1")
            function checkAlive() return "0d123456" end
            SYSTEM.Init()
            repeat SYSTEM.Loop() until 1 == 2
            """;

    @Test
    void featuresAreThoseOfTheClassAndThoseThatWereSet(@TempDir Path folder) throws Exception {
        try (var rig = new CluRig(folder, MAIN, settings -> {})) {
            List<ObjectSnapshot> all = rig.clu.objects().get(30, TimeUnit.SECONDS);
            assertEquals(
                    List.of("CLU1", "DOU1", "TIM1", "HTT1", "OWN1"),
                    all.stream().map(ObjectSnapshot::name).toList());
            assertEquals(
                    List.of(0, 4, 6, 121, 5000), all.stream().map(ObjectSnapshot::type).toList());
            assertEquals(List.of(new Feature(0, "Value", "nil", "nil")), all.get(1).features());
            assertEquals(
                    new Feature(0, "Time", "number", "1000"), all.get(2).features().getFirst());
            assertEquals(
                    List.of(
                            new Feature(3, "", "string", "x".repeat(197) + "..."),
                            new Feature(7, "", "table", "{...}")),
                    all.get(4).features());
        }
    }

    @Test
    void theUrlOfTheBrokerShowsNoPassword(@TempDir Path folder) throws Exception {
        try (var rig = new CluRig(folder, MAIN, settings -> {})) {
            ObjectSnapshot clu = rig.clu.objects().get(30, TimeUnit.SECONDS).getFirst();
            assertEquals(
                    List.of("tcp://user:...@127.0.0.1:1"),
                    clu.features().stream()
                            .filter(each -> each.index() == 20)
                            .map(Feature::value)
                            .toList());
        }
    }

    @Test
    void aResetForgetsObjects(@TempDir Path folder) throws Exception {
        try (var rig = new CluRig(folder, MAIN, settings -> {})) {
            assertEquals("nil", rig.clu.evaluate("OBJECT:new(4, 'DOU2'):set(0, 1)").join());
            assertEquals(6, rig.clu.objects().join().size());
            rig.clu.reset().join();
            assertEquals(5, rig.clu.objects().join().size());
        }
    }

    @Test
    void aResetEndsAListThatWaits(@TempDir Path folder) throws Exception {
        try (var rig = new CluRig(folder, MAIN, settings -> {})) {
            for (int i = 0; i < 10; i++) {
                CompletableFuture<List<ObjectSnapshot>> list = rig.clu.objects();
                CompletableFuture<LuaStatus> reset = rig.clu.reset();
                assertListedOrEnded(list);
                assertEquals(LuaStatus.RUNNING, reset.get(30, TimeUnit.SECONDS));
            }
        }
    }

    private static void assertListedOrEnded(CompletableFuture<List<ObjectSnapshot>> list)
            throws Exception {
        try {
            assertEquals(5, list.get(30, TimeUnit.SECONDS).size());
        } catch (ExecutionException e) {
            assertEquals("the scripts have ended", e.getCause().getMessage());
        }
    }

    /** Before, it waited for ever. */
    @Test
    void theEndOfTheControllerEndsAListThatWaits(@TempDir Path folder) throws Exception {
        var clock = new ManualClock(); // so that nothing interrupts a script
        try (var rig = new CluRig(folder, MAIN, s -> s.scripts(each -> each.clock(clock)))) {
            rig.keepBusy();
            CompletableFuture<List<ObjectSnapshot>> list = rig.clu.objects();
            rig.clu.close();
            var failure =
                    assertThrows(ExecutionException.class, () -> list.get(30, TimeUnit.SECONDS));
            assertEquals("the scripts have ended", failure.getCause().getMessage());
        }
    }
}

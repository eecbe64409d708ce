// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sirocco.home.lua.LuaRuntime;
import io.sirocco.home.lua.ObjectFactory;
import io.sirocco.home.lua.ScriptThread;
import io.sirocco.home.mqtt.ControllerObjects.FeatureRef;
import io.sirocco.home.object.HomeObject;
import io.sirocco.home.object.ObjectContext;
import io.sirocco.testkit.ManualClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/** The objects of this controller while its scripts run none of the calls. */
class OwnObjectsTest {
    @TempDir Path root;

    /** Before, such a call waited for ever. */
    @Test
    void aCallThatTheScriptsDoNotRunFails() throws Exception {
        Files.createDirectories(root.resolve("a"));
        Files.writeString(root.resolve("a/MAIN.LUA"), "while true do end");
        var clock = new ManualClock(); // stands still: the main script has no end
        LuaRuntime scripts =
                LuaRuntime.create(root, report -> {}, settings -> settings.clock(clock));
        try {
            scripts.start(new NoObjects());
            var own = new OwnObjects(scripts, Duration.ofMillis(50));
            var values = own.values(List.of(new FeatureRef("DOU1", 0)));
            var failure =
                    assertThrows(ExecutionException.class, () -> values.get(30, TimeUnit.SECONDS));
            assertInstanceOf(TimeoutException.class, failure.getCause());
        } finally {
            scripts.close();
        }
    }

    private final class NoObjects implements ObjectFactory {
        @Override
        public ObjectContext context(ScriptThread thread, LuaValue globals) {
            return new ObjectContext(
                    thread, globals, root, CluRig.LOOPBACK, () -> ZoneOffset.UTC, null);
        }

        @Override
        public Optional<HomeObject> create(
                int type, boolean gate, String name, Varargs arguments, ObjectContext context) {
            return Optional.empty();
        }
    }
}

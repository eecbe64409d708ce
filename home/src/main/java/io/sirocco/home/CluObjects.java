// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.lua.ObjectFactory;
import io.sirocco.home.lua.ScriptThread;
import io.sirocco.home.mqtt.Mqtt;
import io.sirocco.home.object.HomeObject;
import io.sirocco.home.object.ObjectContext;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/** Creates the objects of a controller. Called on the thread of the scripts. */
final class CluObjects implements ObjectFactory {
    private final CluSettings settings;

    CluObjects(CluSettings settings) {
        this.settings = settings;
    }

    @Override
    public ObjectContext context(ScriptThread scripts, LuaValue globals) {
        return new ObjectContext(
                scripts,
                globals,
                settings.directory,
                settings.address,
                () -> ZoneOffset.UTC,
                NO_BROKER);
    }

    @Override
    public Optional<HomeObject> create(
            int type, boolean gate, String name, Varargs arguments, ObjectContext context) {
        return Optional.empty();
    }

    private static final Mqtt NO_BROKER =
            new Mqtt() {
                @Override
                public void publish(String topic, String payload, boolean retained) {}

                @Override
                public Subscription subscribe(String filter, BiConsumer<String, String> received) {
                    return () -> {};
                }

                @Override
                public boolean connected() {
                    return false;
                }
            };
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.lua.ScriptThread;
import io.sirocco.home.mqtt.Mqtt;
import java.net.Inet4Address;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.function.Supplier;
import org.luaj.vm2.LuaValue;

/**
 * The services of a controller that its objects use. Immutable.
 *
 * @param scripts the thread of the scripts
 * @param globals the global variables of the scripts; confined to their thread
 * @param runtime the folder of the controller: {@code keys.json}, {@code root}, {@code storage}
 * @param address the address of the controller
 * @param zone the time zone that feature TimeZone of the controller sets
 * @param mqtt the connection to the broker, which may be down
 * @param mqttInput the bound of the messages that wait for these scripts
 */
public record ObjectContext(
        ScriptThread scripts,
        LuaValue globals,
        Path runtime,
        Inet4Address address,
        Supplier<ZoneId> zone,
        Mqtt mqtt,
        MqttInput mqttInput) {
    /** Creates a context without waiting messages. */
    public ObjectContext(
            ScriptThread scripts,
            LuaValue globals,
            Path runtime,
            Inet4Address address,
            Supplier<ZoneId> zone,
            Mqtt mqtt) {
        this(scripts, globals, runtime, address, zone, mqtt, new MqttInput());
    }
}

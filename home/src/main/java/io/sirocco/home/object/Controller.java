// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.mqtt.Press;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The services behind the object of the controller, class 0. It outlives a reset. Used by one
 * thread, that of the scripts; must not block.
 */
public interface Controller {
    /** Returns the state: 0 starting, 1 running, 2 error, 4 emergency. */
    int state();

    /** Returns the number of the time zone, 0 to 22. */
    int zone();

    /** Sets the time zone; {@link ObjectContext#zone} returns it from then on. */
    void setZone(int number);

    /** Adds a line to the log of the scripts. */
    void log(String line);

    /** Adds a line of the controller to the log of the scripts, for the owner. Any thread. */
    void log(Level level, String line);

    /** Returns the last lines of the log of the scripts, oldest first. */
    List<String> log();

    /** Empties the log of the scripts. */
    void clearLog();

    /**
     * Applies settings: connects, disconnects, announces. Called once when the scripts have set all
     * of them, and when one changes later. The same settings as before change nothing.
     */
    void applyMqtt(MqttFeatures settings);

    /** Returns whether a broker is connected. */
    boolean mqttConnected();

    /**
     * Has {@code received} called, on any thread, with the id of a user value and the payload of a
     * command for it. Replaces the one before.
     */
    void onMqttCommand(BiConsumer<String, String> received);

    /** Ends what {@link #onMqttCommand} has begun, unless another has replaced {@code received}. */
    void endMqttCommands(BiConsumer<String, String> received);

    /**
     * Announces a user value to Home Assistant as a sensor; a missing argument is empty.
     *
     * @param id unique id, {@code <prefix>/sensor/<id>} is its topic
     * @param deviceClass for example {@code temperature}
     * @param unit of measurement
     * @param template that Home Assistant applies to the value
     */
    void sendDiscovery(String name, String id, String deviceClass, String unit, String template);

    /** Publishes a user value. */
    void sendValue(String id, String value);

    /**
     * Tells Home Assistant that a button of another controller was pressed, or has the state of
     * another object read and published. A name that is not known is logged.
     *
     * @param name controller and object, {@code CLU221010198->DOU4411}
     * @param press of a button; ignored for other objects
     */
    void objectChanged(String name, Press press);
}

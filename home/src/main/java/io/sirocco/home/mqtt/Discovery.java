// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import io.sirocco.home.project.Controller;
import io.sirocco.home.project.ProjectObject;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/**
 * The configuration messages of Home Assistant's discovery: for each object the topic and the
 * payload of its configuration. Immutable.
 *
 * @param prefix the prefix of all topics, usually {@code homeassistant}
 * @param gateway the name of the controller that talks to the broker
 * @param version the version of this program
 */
record Discovery(String prefix, String gateway, String version) {
    /** A message, which is published retained. Immutable. */
    record Config(String topic, String payload) {}

    /**
     * Returns the topic under which an object has {@code config}, {@code set} and {@code state}.
     */
    String root(DeviceType type, Controller controller, ProjectObject object) {
        return prefix + "/" + type.component() + "/" + id(controller, object);
    }

    private static String id(Controller controller, ProjectObject object) {
        return Topics.level(controller.nameOnClu()) + "_" + Topics.level(object.nameOnClu());
    }

    /** Returns the configuration of an object, or empty if Home Assistant is not to show it. */
    Optional<Config> of(Controller controller, ProjectObject object) {
        return DeviceType.of(object).map(type -> config(type, controller, object));
    }

    private Config config(DeviceType type, Controller controller, ProjectObject object) {
        String root = root(type, controller, object);
        ObjectNode config = config(object.name(), id(controller, object), root);
        type.describe(config, object);
        return end(config, root, Optional.of(controller));
    }

    /**
     * Returns the configuration of a value that a script publishes.
     *
     * @param controller the gateway, if the project has it
     */
    Config sensor(UserSensor sensor, Optional<Controller> controller) {
        String root = sensorRoot(sensor.id());
        ObjectNode config =
                config(sensor.name(), Topics.level(sensor.id()), root)
                        .put("state_topic", "~/state");
        putUnlessEmpty(config, "device_class", sensor.deviceClass());
        putUnlessEmpty(config, "unit_of_measurement", sensor.unit());
        putUnlessEmpty(config, "value_template", sensor.template());
        return end(config, root, controller);
    }

    String sensorRoot(String id) {
        return prefix + "/sensor/" + Topics.level(id);
    }

    /** A value that a script publishes; a text may be empty. Immutable. */
    record UserSensor(String name, String id, String deviceClass, String unit, String template) {}

    private static void putUnlessEmpty(ObjectNode config, String key, String value) {
        if (!value.isEmpty()) {
            config.put(key, value);
        }
    }

    private static ObjectNode config(String name, String id, String root) {
        return Json.object().put("name", name).put("unique_id", id).put("~", root);
    }

    private Config end(ObjectNode config, String root, Optional<Controller> controller) {
        Set<String> topics = new LinkedHashSet<>();
        topics.add(Topics.availability(prefix, gateway));
        controller.ifPresent(each -> topics.add(Topics.availability(prefix, each.nameOnClu())));
        var availability = config.putArray("availability");
        topics.forEach(topic -> availability.addObject().put("topic", topic));
        config.put("availability_mode", "all");
        ObjectNode device = config.putObject("device");
        controller.ifPresentOrElse(
                each ->
                        device.put("identifiers", each.nameOnClu())
                                .put("name", each.name())
                                .put("manufacturer", "Grenton")
                                .put("serial_number", Long.toString(each.serial()))
                                .put("sw_version", each.firmware())
                                .put("hw_version", each.hardware()),
                () -> device.put("identifiers", gateway).put("name", gateway));
        config.putObject("origin").put("name", "Sirocco").put("sw_version", version);
        return new Config(root + "/config", config.toString());
    }
}

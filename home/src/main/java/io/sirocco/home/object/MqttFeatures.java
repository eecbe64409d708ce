// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

/**
 * The MQTT settings that scripts set at the object of the controller. Immutable.
 *
 * @param url of the broker, {@code tcp://user:password@host:1883} or {@code ssl://...}; may be
 *     empty
 * @param enabled whether to connect
 * @param discovery whether to announce the objects of the project to Home Assistant
 * @param prefix first level of the topics for discovery
 */
public record MqttFeatures(String url, boolean enabled, boolean discovery, String prefix) {
    /** MQTT is off. */
    public static final MqttFeatures OFF = new MqttFeatures("", false, false, "homeassistant");

    /** Shows no password. */
    @Override
    public String toString() {
        return "MQTT "
                + (enabled ? "on" : "off")
                + (discovery ? ", discovery below " + prefix : "");
    }
}

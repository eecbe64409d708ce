// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

/**
 * The connection to the broker at one moment. Immutable.
 *
 * @param broker its address without user and password, empty while MQTT is off
 * @param problem why the last attempt failed or the connection was lost; empty if it is there
 * @param waiting the number of messages that the broker has not acknowledged
 */
public record MqttStatus(String broker, boolean connected, String problem, int waiting) {}

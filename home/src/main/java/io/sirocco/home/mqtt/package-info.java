// SPDX-License-Identifier: Apache-2.0
/** The connection to an MQTT broker, and discovery by Home Assistant. */
package io.sirocco.home.mqtt;

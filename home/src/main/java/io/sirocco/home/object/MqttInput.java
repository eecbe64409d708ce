// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.lua.ScriptThread;

/**
 * Bounds the MQTT messages that wait for the scripts, of all objects together: they have up to 8
 * MiB, or are one. A character counts as two bytes, and a message as 512 more. A message beyond
 * that is lost, and the log says so once until no message waits. Any thread.
 */
final class MqttInput {
    private static final long MAX_BYTES = 8 << 20;
    private static final int OVERHEAD = 512;

    private long held;
    private boolean losing;

    private static long bytes(String topic, String payload) {
        return 2L * (topic.length() + payload.length()) + OVERHEAD;
    }

    /** Returns whether there is room for a message, which is then held until {@link #end}. */
    boolean begin(String topic, String payload, ScriptThread scripts) {
        long bytes = bytes(topic, payload);
        synchronized (this) {
            if (held == 0 || held + bytes <= MAX_BYTES) {
                held += bytes;
                return true;
            }
            if (losing) {
                return false;
            }
            losing = true;
        }
        scripts.warn("MQTT messages are lost, as of " + topic + ": the scripts do not keep up");
        return false;
    }

    /** Gives the room of a message back. */
    synchronized void end(String topic, String payload) {
        held -= bytes(topic, payload);
        losing &= held > 0;
    }
}

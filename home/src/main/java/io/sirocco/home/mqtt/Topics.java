// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import com.hivemq.client.mqtt.datatypes.MqttTopic;
import com.hivemq.client.mqtt.datatypes.MqttTopicFilter;

/** The names of topics: MQTT 3.1.1, 4.7. Immutable. */
public final class Topics {
    private Topics() {}

    /** Returns the topic that says whether a controller is {@code online} or {@code offline}. */
    static String availability(String prefix, String clu) {
        return prefix + "/" + level(clu) + "/availability";
    }

    /** Returns whether a text is a topic filter. */
    public static boolean isFilter(String filter) {
        try {
            MqttTopicFilter.of(filter);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns whether a text is a topic, which has no wildcards. */
    public static boolean isTopic(String topic) {
        try {
            MqttTopic.of(topic);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns whether a filter matches a topic. Both must be valid. */
    public static boolean matches(String filter, String topic) {
        return matches(MqttTopicFilter.of(filter), MqttTopic.of(topic));
    }

    /** Returns whether a filter matches: one that begins with a wildcard matches no $SYS. */
    static boolean matches(MqttTopicFilter filter, MqttTopic topic) {
        boolean ofServer = topic.toString().startsWith("$");
        return filter.matches(topic) && (!ofServer || filter.toString().startsWith("$"));
    }

    /** Returns a name as one level of a topic: Home Assistant takes letters, digits, - and _. */
    static String level(String name) {
        return name.replaceAll("[^A-Za-z0-9_-]", "_");
    }
}

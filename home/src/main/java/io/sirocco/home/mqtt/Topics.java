// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

/** The names of topics. Immutable. */
final class Topics {
    private Topics() {}

    /** Returns the topic that says whether a controller is {@code online} or {@code offline}. */
    static String availability(String prefix, String clu) {
        return prefix + "/" + level(clu) + "/availability";
    }

    /** Returns a name as one level of a topic: Home Assistant takes letters, digits, - and _. */
    static String level(String name) {
        return name.replaceAll("[^A-Za-z0-9_-]", "_");
    }
}

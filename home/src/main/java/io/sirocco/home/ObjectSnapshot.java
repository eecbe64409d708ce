// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import java.util.List;

/**
 * An object of the scripts at one moment. Immutable.
 *
 * @param name for example {@code DOU4411}
 * @param type the number of its class
 * @param gate whether a script has created it by {@code GATE:new}
 * @param features those that are known, by index
 */
public record ObjectSnapshot(String name, int type, boolean gate, List<Feature> features) {
    public ObjectSnapshot {
        features = List.copyOf(features);
    }

    /**
     * A feature. Immutable.
     *
     * @param name empty if it is not known
     * @param kind the type of the value in Lua: {@code number}, {@code string}, ...
     * @param value its text, of at most 200 characters; without the password of a URL
     */
    public record Feature(int index, String name, String kind, String value) {}
}

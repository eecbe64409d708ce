// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.project;

import java.util.List;
import java.util.Optional;

/**
 * An object of a controller, for example an output. Immutable.
 *
 * @param name the name that the user gave
 * @param nameOnClu the name in scripts, for example {@code DIM1}
 * @param type the type, for example {@code DIMM}
 */
public record ProjectObject(
        String name,
        String nameOnClu,
        String type,
        List<Feature> features,
        boolean visible,
        boolean removed) {
    public ProjectObject {
        features = List.copyOf(features);
    }

    /** Returns the feature of this name, for example {@code Value}. */
    public Optional<Feature> feature(String name) {
        return features.stream().filter(feature -> feature.name().equals(name)).findFirst();
    }

    /**
     * A feature of an object. Immutable.
     *
     * @param index the number by which scripts get and set it
     * @param unit for example {@code °C}
     */
    public record Feature(String name, int index, Optional<String> unit) {}
}

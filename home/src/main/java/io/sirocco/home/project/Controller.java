// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.project;

import java.net.Inet4Address;
import java.util.List;
import java.util.Optional;

/**
 * A controller (CLU) of a project. Immutable.
 *
 * @param serial the serial number, at most 32 bits
 * @param name the name that the user gave
 * @param nameOnClu the name in scripts, for example {@code CLU221010198}
 * @param address empty if the project has none
 * @param firmware type and version of the firmware, for example {@code 3_512}
 * @param hardware type and version of the hardware, for example {@code 19_1}
 * @param objects the objects, those that are removed or invisible included
 */
public record Controller(
        long serial,
        String name,
        String nameOnClu,
        Optional<Inet4Address> address,
        String firmware,
        String hardware,
        List<ProjectObject> objects) {
    public Controller {
        objects = List.copyOf(objects);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.project;

import java.util.List;

/**
 * A project of Object Manager: its key, and the controllers with their objects, in the order of the
 * file. Immutable.
 */
public record Project(ProjectKey key, List<Controller> controllers) {
    public Project {
        controllers = List.copyOf(controllers);
    }
}

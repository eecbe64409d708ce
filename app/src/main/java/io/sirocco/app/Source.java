// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.app.config.Overrides;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a configuration comes from, at the start and at each reload. Immutable.
 *
 * @param file empty for the command line alone
 * @param overrides what the command line says beside it
 */
record Source(Optional<Path> file, Overrides overrides) {

    /** Reads all of it. */
    Configuration load() throws InvalidConfiguration {
        return file.isPresent()
                ? Configuration.load(file.get(), overrides)
                : Configuration.of(overrides);
    }
}

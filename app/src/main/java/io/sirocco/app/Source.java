// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.app.config.Overrides;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The source of a configuration, at the start and at each reload. Immutable.
 *
 * @param file empty for the command line alone
 * @param overrides the options of the command line
 */
record Source(Optional<Path> file, Overrides overrides) {

    /** Reads the configuration. */
    Configuration load() throws InvalidConfiguration {
        return file.isPresent()
                ? Configuration.load(file.get(), overrides)
                : Configuration.of(overrides);
    }
}

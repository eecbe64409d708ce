// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Overrides;
import io.sirocco.net.TransportKind;
import java.nio.file.Path;
import java.util.Optional;

/** Command lines of {@code sirocco serve}, for tests. */
final class Sources {
    private Sources() {}

    static Source of(
            Optional<Path> directory, String host, int port, int loops, TransportKind transport) {
        return new Source(
                Optional.empty(),
                new Overrides(
                        directory,
                        Optional.of(host),
                        Optional.of(port),
                        Optional.of(loops),
                        Optional.of(transport),
                        Optional.empty(),
                        false));
    }

    /** A file, on a port that the system chooses. */
    static Source file(Path file) {
        return new Source(Optional.of(file), Overrides.NONE);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.net.TransportKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What the command line of {@code serve} says. It wins over the file. Immutable.
 *
 * @param directory the root of the site that answers all hosts that no other site has
 * @param host of the only address to listen on; see {@link Overlay}
 * @param port the same
 * @param selfSigned HTTPS with a certificate for localhost
 */
public record Overrides(
        Optional<Path> directory,
        Optional<String> host,
        Optional<Integer> port,
        Optional<Integer> loops,
        Optional<TransportKind> transport,
        Optional<Duration> idle,
        boolean selfSigned) {

    /** A command line that says nothing. */
    public static final Overrides NONE =
            new Overrides(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    false);
}

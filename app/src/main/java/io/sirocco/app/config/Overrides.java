// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.net.TransportKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What the command line of {@code serve} and {@code live} says. It wins over the file. Immutable.
 *
 * @param directory the root of the site that answers all hosts that no other site has
 * @param host of the only address to listen on; see {@link Overlay}
 * @param port the same
 * @param selfSigned HTTPS with a certificate for localhost
 * @param password of the channels; it stands in no option, so that nothing prints it
 * @param options further ones, each in the place of that of the file
 */
public record Overrides(
        Optional<Path> directory,
        Optional<String> host,
        Optional<Integer> port,
        Optional<Integer> loops,
        Optional<TransportKind> transport,
        Optional<Duration> idle,
        boolean selfSigned,
        Optional<String> password,
        List<Option> options) {

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

    /** Without channels. */
    public Overrides(
            Optional<Path> directory,
            Optional<String> host,
            Optional<Integer> port,
            Optional<Integer> loops,
            Optional<TransportKind> transport,
            Optional<Duration> idle,
            boolean selfSigned) {
        this(
                directory,
                host,
                port,
                loops,
                transport,
                idle,
                selfSigned,
                Optional.empty(),
                List.of());
    }

    /** The same with channels. */
    public Overrides with(Optional<String> password, List<Option> options) {
        return new Overrides(
                directory, host, port, loops, transport, idle, selfSigned, password, options);
    }

    /**
     * One option.
     *
     * @param value a text, a number, a boolean, a list or a map of such
     * @param words as they stand on the command line
     * @param over whether it goes before what the file says
     */
    public record Option(String table, String key, Object value, String words, boolean over) {}
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.net.TransportKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The options of the command line of {@code serve}, {@code live} and {@code proxy}, which override
 * the file. Immutable.
 *
 * @param directory the root of the site for all hosts that no other site names
 * @param listing whether a directory of that site without an index page is listed
 * @param host of the only address to listen on; see {@link Overlay}
 * @param port the same
 * @param selfSigned HTTPS with a certificate for localhost
 * @param password of the channels; not an option, so that it is never printed
 * @param options further ones, each replacing an option of the file
 */
public record Overrides(
        Optional<Path> directory,
        boolean listing,
        Optional<String> host,
        Optional<Integer> port,
        Optional<Integer> loops,
        Optional<TransportKind> transport,
        Optional<Duration> idle,
        boolean selfSigned,
        Optional<String> password,
        List<Option> options) {

    /** An empty command line. */
    public static final Overrides NONE =
            new Overrides(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    false);

    /** Creates overrides without channels. */
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
                false,
                host,
                port,
                loops,
                transport,
                idle,
                selfSigned,
                Optional.empty(),
                List.of());
    }

    /** Returns the same with further options, and a password of the channels. */
    public Overrides with(Optional<String> password, List<Option> options) {
        return new Overrides(
                directory,
                listing,
                host,
                port,
                loops,
                transport,
                idle,
                selfSigned,
                password,
                options);
    }

    /** Returns the same with listings of directories. */
    public Overrides withListing() {
        return new Overrides(
                directory, true, host, port, loops, transport, idle, selfSigned, password, options);
    }

    /**
     * One option.
     *
     * @param table empty for the top level
     * @param value a string, a number, a boolean, a list or a map of these
     * @param words as given on the command line
     * @param over whether it overrides the file
     */
    public record Option(String table, String key, Object value, String words, boolean over) {}
}

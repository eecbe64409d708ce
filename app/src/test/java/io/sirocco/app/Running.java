// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.app.config.Overrides;
import io.sirocco.net.TransportKind;
import io.sirocco.web.proxy.UpstreamStats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * {@code sirocco serve --config FILE} in this JVM, for tests in other packages: the file lies in a
 * folder of the test, and relative paths with it. Used by one thread, but for {@link #port}.
 */
public final class Running implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("https?://[^ ,]+:(\\d+)");

    private final Path file;
    private final Serving serving;

    private Running(Path file, Serving serving) {
        this.file = file;
        this.serving = serving;
    }

    /** Writes {@code toml} into the folder and serves it, with two loops. */
    public static Running of(Path folder, TransportKind transport, String toml) throws Exception {
        Path file = folder.resolve("sirocco.toml");
        Files.writeString(file, toml);
        return new Running(file, Serving.open(source(file, transport)));
    }

    /** What is said of a configuration that cannot be served. */
    public static String refusal(Path folder, TransportKind transport, String toml) {
        try (Running running = of(folder, transport, toml)) {
            throw new AssertionError("it serves: " + running.serving);
        } catch (InvalidConfiguration | IOException e) {
            return e.getMessage();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static Source source(Path file, TransportKind transport) {
        var overrides =
                new Overrides(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(2),
                        Optional.of(transport),
                        Optional.empty(),
                        false);
        return new Source(Optional.of(file), overrides);
    }

    /** Of the first address. */
    public int port() {
        return serving.port();
    }

    /** Of the admin server. */
    public int adminPort() {
        return serving.admin().orElseThrow().port();
    }

    /** Of the addresses with a port, in the order of the file. */
    public List<Integer> ports() {
        return ADDRESS.matcher(serving.toString())
                .results()
                .map((MatchResult found) -> Integer.parseInt(found.group(1)))
                .toList();
    }

    /** Of the upstream with this name. */
    UpstreamStats upstream(String name) {
        return serving.upstreams().stream()
                .filter(upstream -> upstream.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Writes another file in the place of the one that is served, and takes it up. */
    public void reload(String toml) throws IOException, InvalidConfiguration {
        Files.writeString(file, toml);
        serving.applyConfiguration();
    }

    /** What is said of a file that is not taken up. */
    public String refuses(String toml) {
        try {
            reload(toml);
        } catch (InvalidConfiguration | UncheckedIOException | IOException e) {
            return e.getMessage();
        }
        throw new AssertionError("it was taken up");
    }

    @Override
    public String toString() {
        return serving.toString();
    }

    @Override
    public void close() {
        serving.close();
    }
}

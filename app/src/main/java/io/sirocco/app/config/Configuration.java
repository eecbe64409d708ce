// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * All that {@code sirocco serve} can be told: a file, the command line over it, and the usual value
 * of everything else. The manual is {@code sirocco.toml}, and each record here is one of its
 * tables. Immutable.
 *
 * <p>Two configurations are compared part by part: {@code old.tls().equals(next.tls())}. The whole
 * also knows the text that it came from, and is equal to itself only.
 *
 * @param sites none: the welcome page
 * @param document what it was read from
 */
public record Configuration(
        Server server,
        List<Listen> listen,
        Proxies proxies,
        Tls tls,
        Limits limits,
        Timeouts timeouts,
        Bandwidth bandwidth,
        AccessLog accessLog,
        Log log,
        Admin admin,
        Live live,
        List<Site> sites,
        Document document) {

    /**
     * Reads a file, and lays the command line over it. May be called again whenever it has changed.
     *
     * @throws InvalidConfiguration which says all that is wrong with it
     */
    public static Configuration load(Path file, Overrides overrides) throws InvalidConfiguration {
        Path whole = file.toAbsolutePath().normalize();
        var reading =
                new Reading(whole.getParent(), new Report(), overrides.password().isPresent());
        reading.watch(whole);
        return parse(Source.read(file), overrides, reading);
    }

    /**
     * Without a file. Jackson is not loaded.
     *
     * @throws InvalidConfiguration which says what is wrong with the command line
     */
    public static Configuration of(Overrides overrides) throws InvalidConfiguration {
        Source none = Source.commandLine("");
        var reading = new Reading(none.folder(), new Report(), overrides.password().isPresent());
        return checked(none, Node.Fields.of(none.nowhere(), Map.of()), overrides, reading);
    }

    static Configuration parse(Source source, Overrides overrides, Reading reading)
            throws InvalidConfiguration {
        Node.Fields fields = Toml.read(source, reading.report());
        reading.report().throwIfErrors();
        return checked(source, fields, overrides, reading);
    }

    private static Configuration checked(
            Source source, Node.Fields fields, Overrides overrides, Reading reading)
            throws InvalidConfiguration {
        Node.Fields all = new Overlay(overrides, reading.report()).over(fields);
        Configuration configuration = Options.read(source, all, reading);
        reading.report().throwIfErrors();
        return configuration;
    }

    /**
     * Where an option stands, or the table that it is left out of: {@code where("listen", 0,
     * "address")}.
     *
     * @param path keys as the file has them, and numbers from 0 for places in lists
     */
    public Position where(Object... path) {
        return document.place(path).position();
    }

    /** An error that shows only later, such as a port in use, in the form of all others. */
    public Problem problem(String message, String hint, Object... path) {
        return Problem.at(document.place(path), Problem.Severity.ERROR, message, hint);
    }

    /** The same as an exception. */
    public InvalidConfiguration invalid(String message, String hint, Object... path) {
        return new InvalidConfiguration(problem(message, hint, path));
    }

    /** All options with their values, as a file that comes to the same; files are named in full. */
    public String toToml() {
        return TomlText.of(document.section());
    }

    /** The same for programs: sizes in bytes, times in seconds. */
    public String toJson() {
        return JsonText.of(document.section());
    }

    /** The options in which another one differs that a running server cannot change. */
    public List<String> needsStart(Configuration next) {
        var options = new ArrayList<String>();
        if (server.loops() != next.server.loops()) options.add("server.loops");
        if (server.transport() != next.server.transport()) options.add("server.transport");
        if (limits.maxConnectionsPerLoop() != next.limits.maxConnectionsPerLoop())
            options.add("limits.max-connections-per-loop");
        if (limits.maxOpenConnectionsPerLoop() != next.limits.maxOpenConnectionsPerLoop()) {
            options.add("limits.max-open-connections-per-loop");
        }
        if (limits.memory() != next.limits.memory()) options.add("limits.memory");
        if (!admin.equals(next.admin)) options.add("admin");
        if (live.on() && !live.equals(next.live)) options.add("live");
        for (Listen ours : listen) {
            next.listen.stream()
                    .filter(theirs -> theirs.address().equals(ours.address()))
                    .findFirst()
                    .ifPresent(theirs -> ours.needsStart(theirs, options));
        }
        return options;
    }

    /**
     * Returns the effective configuration of a server that was started with this one and has
     * reloaded {@code next}: settings that need a start keep their values.
     */
    public Configuration reloaded(Configuration next) {
        return new Configuration(
                new Server(
                        server.loops(),
                        server.transport(),
                        next.server.name(),
                        next.server.drain(),
                        next.server.reload()),
                next.listen.stream().map(this::bound).toList(),
                next.proxies,
                next.tls,
                new Limits(
                        next.limits.maxHeaderBytes(),
                        next.limits.maxTargetBytes(),
                        next.limits.maxHeaderFields(),
                        next.limits.maxBodyBytes(),
                        next.limits.maxConcurrentRequests(),
                        limits.maxConnectionsPerLoop(),
                        next.limits.maxConnectionsPerAddress(),
                        limits.maxOpenConnectionsPerLoop(),
                        limits.memory()),
                next.timeouts,
                next.bandwidth,
                next.accessLog,
                next.log,
                admin,
                live.on() ? live : next.live,
                next.sites,
                next.document);
    }

    /** An address that is listened on stays as it was bound. */
    private Listen bound(Listen next) {
        return listen.stream()
                .filter(ours -> ours.address().equals(next.address()))
                .findFirst()
                .map(
                        ours ->
                                new Listen(
                                        next.address(),
                                        ours.tls(),
                                        next.own(),
                                        next.redirectToHttps(),
                                        ours.proxyProtocol(),
                                        ours.backlog()))
                .orElse(next);
    }

    /**
     * Whether another one comes to the same TLS, the files of its certificates included: then
     * sessions may go on.
     */
    public boolean hasTlsOf(Configuration other) {
        return tls.equals(other.tls) && hasFilesOf(other, tls.files());
    }

    /** The same of the TLS that an address has for itself, or shares. */
    public boolean hasTlsOf(Configuration other, Listen own) {
        Tls ours = own.tls(tls);
        boolean same =
                other.listen.stream()
                        .filter(theirs -> theirs.tls() && theirs.address().equals(own.address()))
                        .anyMatch(theirs -> theirs.tls(other.tls).equals(ours));
        return same && hasFilesOf(other, ours.files());
    }

    /** Whether files have not changed since another configuration was read. */
    public boolean hasFilesOf(Configuration other, Collection<Path> files) {
        return files.stream()
                .allMatch(
                        file ->
                                Objects.equals(
                                        document.stamps().get(file),
                                        other.document.stamps().get(file)));
    }

    /** What it says that has no effect, and such; it holds nevertheless. */
    public List<Problem> warnings() {
        return document.warnings();
    }

    /** Every file that it was made of: its own, certificates and keys, lists of users. */
    public Set<Path> files() {
        return document.stamps().keySet();
    }

    /** The file's name. */
    @Override
    public String toString() {
        return document.source().name();
    }
}

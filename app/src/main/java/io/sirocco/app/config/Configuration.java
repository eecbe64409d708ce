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
 * The configuration of {@code sirocco serve}: a file, overridden by the command line, and defaults
 * for all other options. The manual is {@code sirocco.toml}; each record here is one of its tables.
 * Immutable.
 *
 * <p>Compare two configurations part by part: {@code old.tls().equals(next.tls())}. The whole
 * includes the file that it was read from, and equals only itself.
 *
 * @param sites empty: the welcome page
 * @param document the file that it was read from
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
        List<Upstream> upstreams,
        List<SharedCache> caches,
        List<Site> sites,
        Document document) {
    private static final List<String> KEPT = List.of("admin", "live");

    /**
     * Reads a file, overridden by the command line.
     *
     * @throws InvalidConfiguration with all mistakes in it
     */
    public static Configuration load(Path file, Overrides overrides) throws InvalidConfiguration {
        Path whole = file.toAbsolutePath().normalize();
        var reading =
                new Reading(whole.getParent(), new Report(), overrides.password().isPresent());
        reading.watch(whole);
        return parse(Source.read(file), overrides, reading);
    }

    /**
     * Returns the configuration of the command line alone. No reader of TOML is loaded.
     *
     * @throws InvalidConfiguration with all mistakes in it
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
     * Returns the position of an option, or of its table if it is not set: {@code where("listen",
     * 0, "address")}.
     *
     * @param path keys of the file, and indexes of lists
     */
    public SourcePosition where(Object... path) {
        return document.position(path);
    }

    /**
     * Returns an error that is found later, such as a port in use, in the same form as the others.
     */
    public Problem problem(String message, String hint, Object... path) {
        return Problem.at(document.position(path), Problem.Severity.ERROR, message, hint);
    }

    /** Returns the same as an exception. */
    public InvalidConfiguration invalid(String message, String hint, Object... path) {
        return new InvalidConfiguration(problem(message, hint, path));
    }

    /**
     * Returns all options with their values as a file that has the same effect; paths are absolute.
     */
    public String toToml() {
        return TomlText.of(document.section());
    }

    /** Returns all options with their values as JSON: sizes in bytes, durations in seconds. */
    public String toJson() {
        return JsonText.of(document.section());
    }

    /** Returns the same, which prints {@code ***} for each password, as errors do. */
    public Configuration withoutSecrets() {
        return with(document.with(document.section().withoutSecrets()));
    }

    private Configuration with(Document document) {
        return new Configuration(
                server, listen, proxies, tls, limits, timeouts, bandwidth, accessLog, log, admin,
                live, upstreams, caches, sites, document);
    }

    /**
     * Checks that {@code next} may replace this one by a reload.
     *
     * @throws InvalidConfiguration if it would remove all sites or close addresses, and does not
     *     say that this is meant
     */
    public void mayBecome(Configuration next) throws InvalidConfiguration {
        Removals.check(this, next);
    }

    /** Returns the changed options of {@code next} that take effect only after a restart. */
    public List<String> needsStart(Configuration next) {
        var options = new ArrayList<String>();
        if (server.loops() != next.server.loops()) options.add("server.loops");
        if (server.transport() != next.server.transport()) options.add("server.transport");
        if (!server.blockedLoop().equals(next.server.blockedLoop())) {
            options.add("server.blocked-loop-timeout");
        }
        if (limits.maxConnectionsPerLoop() != next.limits.maxConnectionsPerLoop())
            options.add("limits.max-connections-per-loop");
        if (limits.maxOpenConnectionsPerLoop() != next.limits.maxOpenConnectionsPerLoop()) {
            options.add("limits.max-open-connections-per-loop");
        }
        if (limits.memory() != next.limits.memory()) options.add("limits.memory");
        if (!admin.equals(next.admin)) changed("admin", next, options);
        if (live.on() && !live.equals(next.live)) changed("live", next, options);
        for (SharedCache theirs : next.caches) {
            boolean changed = caches.stream().anyMatch(ours -> ours.isReopenedAs(theirs));
            if (changed) options.add("cache " + theirs.name());
        }
        for (Listen ours : listen) {
            next.listen.stream()
                    .filter(theirs -> theirs.address().equals(ours.address()))
                    .findFirst()
                    .ifPresent(theirs -> ours.needsStart(theirs, options));
        }
        return options;
    }

    /** Adds the names of the options of a table that have another value. */
    private void changed(String table, Configuration next, List<String> options) {
        Section ours = document.section().inner(table);
        for (String key : ours.differing(next.document.section().inner(table))) {
            options.add(table + "." + key);
        }
    }

    /**
     * Returns the effective configuration of a server that was started with this one and has
     * reloaded {@code next}: settings that need a restart keep their values.
     */
    public Configuration reloaded(Configuration next) {
        return new Configuration(
                new Server(
                        server.loops(),
                        server.transport(),
                        next.server.name(),
                        next.server.drainDelay(),
                        next.server.drain(),
                        server.blockedLoop(),
                        next.server.reload(),
                        next.server.reloadMayRemove()),
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
                next.upstreams,
                next.caches.stream().map(this::open).toList(),
                next.sites,
                next.document.with(
                        next.document
                                .section()
                                .with(document.section(), live.on() ? KEPT : List.of("admin"))));
    }

    /** Keeps the settings of a cache whose folder is open already. */
    private SharedCache open(SharedCache next) {
        return caches.stream()
                .filter(ours -> ours.isReopenedAs(next))
                .findFirst()
                .map(ours -> new SharedCache(next.name(), ours.store()))
                .orElse(next);
    }

    /** Keeps the settings of an address that is bound already. */
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
     * Returns whether another one has the same TLS settings and certificate files, so that sessions
     * can be resumed.
     */
    public boolean hasTlsOf(Configuration other) {
        return tls.equals(other.tls) && hasFilesOf(other, tls.files());
    }

    /** Returns the same for the TLS settings of one address, its own or the shared ones. */
    public boolean hasTlsOf(Configuration other, Listen own) {
        Tls ours = own.tls(tls);
        boolean same =
                other.listen.stream()
                        .filter(theirs -> theirs.tls() && theirs.address().equals(own.address()))
                        .anyMatch(theirs -> theirs.tls(other.tls).equals(ours));
        return same && hasFilesOf(other, ours.files());
    }

    /** Returns whether files are unchanged since another configuration was read. */
    public boolean hasFilesOf(Configuration other, Collection<Path> files) {
        return files.stream()
                .allMatch(
                        file ->
                                Objects.equals(
                                        document.stamps().get(file),
                                        other.document.stamps().get(file)));
    }

    /** Returns the warnings, such as options without effect; the configuration is valid. */
    public List<Problem> warnings() {
        return document.warnings();
    }

    /** Returns every file that was read: the configuration, certificates, keys, users files. */
    public Set<Path> files() {
        return document.stamps().keySet();
    }

    /** Returns the name of the file. */
    @Override
    public String toString() {
        return document.source().name();
    }
}

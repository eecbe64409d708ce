// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * All that {@code sirocco serve} can be told: a file, the command line over it, and the usual value
 * of everything else. The manual is {@code sirocco.toml}, and each record here is one of its
 * tables. Immutable.
 *
 * <p>Two configurations are compared part by part: {@code old.tls().equals(next.tls())}. The whole
 * also knows the text that it came from, and is equal to itself only.
 *
 * @param sites none: the welcome page
 * @param files every file that it was made of, to be watched: its own, certificates, lists of users
 * @param warnings what it says that has no effect; it holds nevertheless
 */
public record Configuration(
        Server server,
        List<Listen> listen,
        Tls tls,
        Limits limits,
        Deadlines deadlines,
        Bandwidth bandwidth,
        AccessLog accessLog,
        Log log,
        Admin admin,
        List<Site> sites,
        Set<Path> files,
        List<Problem> warnings,
        Document document) {

    /**
     * Reads a file, and lays the command line over it. May be called again whenever it has changed.
     *
     * @throws InvalidConfiguration which says all that is wrong with it
     */
    public static Configuration load(Path file, Overrides overrides) throws InvalidConfiguration {
        Configuration configuration = parse(Source.read(file), overrides);
        var files = new TreeSet<>(configuration.files);
        files.add(file.toAbsolutePath().normalize());
        return configuration.with(files);
    }

    /**
     * Without a file. Jackson is not loaded.
     *
     * @throws InvalidConfiguration which says what is wrong with the command line
     */
    public static Configuration of(Overrides overrides) throws InvalidConfiguration {
        Source none = Source.commandLine("");
        return checked(none, Node.Fields.of(none.nowhere(), Map.of()), overrides, new Report());
    }

    static Configuration parse(Source source, Overrides overrides) throws InvalidConfiguration {
        var report = new Report();
        Node.Fields fields = Toml.read(source, report);
        report.throwIfErrors();
        return checked(source, fields, overrides, report);
    }

    private static Configuration checked(
            Source source, Node.Fields fields, Overrides overrides, Report report)
            throws InvalidConfiguration {
        Node.Fields all = new Overlay(overrides, report).over(fields);
        var reading = new Reading(source.folder(), report);
        Configuration configuration = Options.read(source, all, reading);
        report.throwIfErrors();
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
        return options;
    }

    Configuration with(List<Problem> warnings) {
        return with(files, warnings);
    }

    private Configuration with(Set<Path> files) {
        return with(files, warnings);
    }

    private Configuration with(Set<Path> files, List<Problem> warnings) {
        return new Configuration(
                server,
                listen,
                tls,
                limits,
                deadlines,
                bandwidth,
                accessLog,
                log,
                admin,
                sites,
                Set.copyOf(files),
                warnings,
                document);
    }

    /** The file's name. */
    @Override
    public String toString() {
        return document.source().name();
    }
}

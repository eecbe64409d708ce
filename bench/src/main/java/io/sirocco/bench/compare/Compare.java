// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.report.Race;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A race of servers at the same works: builds the peers, starts each on one core, checks what it
 * answers, and measures them in rounds from another core. What counts first is the CPU time of the
 * server for a request. Linux only. One thread runs it, the one that made its {@link Ending}.
 */
public final class Compare {
    private final Plan plan;
    private final List<Work> works;
    private final List<PeerProgram> programs;
    private final Generator generator;

    /**
     * A race as planned.
     *
     * @throws IllegalArgumentException when a work or a peer is unknown; says which there are
     */
    public Compare(Plan plan) {
        this(plan, Generator.SIROCCO);
    }

    Compare(Plan plan, Generator generator) {
        this.plan = plan;
        this.works = Works.named(plan.works());
        this.programs = plan.programs();
        this.generator = generator;
    }

    /**
     * Runs it, for minutes. When {@code ending} is asked for, the answer holds the rounds that were
     * whole by then, which may be none. No server is left when this returns or throws.
     *
     * @param err where it says how far it is
     * @throws IOException when the machine lacks something that every race needs, or {@code out}
     *     cannot be written
     */
    public Race run(Ending ending, PrintWriter err) throws IOException {
        requireLinux();
        Files.createDirectories(plan.logs());
        Path files = Files.createTempDirectory("sirocco-files");
        Race.Machine machine = MachineFacts.now();
        warnOfPacing(MachineFacts.congestionControl(), err);
        String started = now();
        String commit = "";
        var peers = new ArrayList<Race.Peer>();
        var done = new ArrayList<Race.Work>();
        try (var lineUp = new LineUp(err)) {
            ending.lastly(lineUp::close);
            SiteFiles.write(files);
            Assets.write(files);
            ProxyWorks.write(files);
            commit = Checkout.commit(plan.peersDir());
            err.println("building what is not built yet; logs are in " + plan.logs());
            var prepared = lineUp.prepare(takingPart(err));
            try (var _ = pin(machine.cores())) {
                Optional<Upstream> upstream = upstream(lineUp, machine.cores(), files);
                List<Entry> entries =
                        lineUp.start(
                                prepared,
                                plan.serverCpu(),
                                files,
                                upstream.map(Upstream::environment).orElse(Map.of()));
                entries.forEach(entry -> peers.add(entry.peer()));
                Generator load = upstream.map(u -> u.counting(generator)).orElse(generator);
                measure(entries, load, done, ending, err);
                tellMemory(entries, err);
            }
        } catch (InterruptedException e) {
            ending.noted();
        } finally {
            remove(files);
        }
        return new Race(
                plan.command(),
                started,
                commit,
                plan.rounds(),
                plan.seconds(),
                machine,
                List.copyOf(peers),
                List.copyOf(done));
    }

    /**
     * BBR spaces out what a connection sends by timers, on loopback too: rounds of the same server
     * then differ by half, and those with large responses by more.
     */
    static void warnOfPacing(String congestionControl, PrintWriter err) {
        if (congestionControl.startsWith("bbr")) {
            err.println(
                    "warning: TCP paces by "
                            + congestionControl
                            + " here, so rounds differ more than servers do; as root, for as long as"
                            + " the race takes: sysctl net.ipv4.tcp_congestion_control=cubic");
        }
    }

    /** Those who do one of the works, and the two that are in every race. */
    private List<PeerProgram> takingPart(PrintWriter err) throws InterruptedException {
        Set<String> needed = works.stream().map(Work::needs).collect(Collectors.toSet());
        var taking = new ArrayList<PeerProgram>();
        var others = new ArrayList<String>();
        for (PeerProgram each : programs) {
            boolean always = List.of(Race.FLOOR, Race.OURS).contains(each.name());
            if (always || each.doesOneOf(needed)) {
                taking.add(each);
            } else {
                others.add(each.name());
            }
        }
        if (!others.isEmpty()) {
            err.println("left out, since they do none of this: " + String.join(", ", others));
        }
        return taking;
    }

    /**
     * Beside the generator, so that a proxy has its core for itself; none unless a work needs it.
     */
    private Optional<Upstream> upstream(LineUp lineUp, int cores, Path files)
            throws IOException, InterruptedException {
        if (works.stream().noneMatch(ProxyWorks.ALL::contains)) {
            return Optional.empty();
        }
        int cpu = cores < 2 ? plan.serverCpu() : plan.generatorCpu();
        return Optional.of(lineUp.startUpstream(plan.upstream(), cpu, files));
    }

    private void measure(
            List<Entry> entries,
            Generator load,
            List<Race.Work> done,
            Ending ending,
            PrintWriter err) {
        var heats = works.stream().map(w -> new Heat(w, plan, entries, load)).toList();
        double planned = heats.stream().mapToDouble(Heat::planned).sum();
        var progress = new Progress(err, System::nanoTime, planned);
        var random = new Random(plan.seed());
        err.println("the order within the rounds is from the seed " + plan.seed());
        for (Heat heat : heats) {
            if (!ending.asked()) {
                heat.run(random, progress, ending).ifPresent(done::add);
            }
        }
    }

    private static void tellMemory(List<Entry> entries, PrintWriter err) {
        err.printf("%nresident memory at the end:%n");
        for (Entry entry : entries) {
            entry.server()
                    .ifPresent(
                            server ->
                                    err.printf(
                                            Locale.ROOT,
                                            "  %-12s %,.1f MiB%n",
                                            entry.peer().name(),
                                            server.residentBytes() / 1048576.0));
        }
        err.flush();
    }

    /** With one core there is nothing to choose. */
    private Closeable pin(int cores) throws IOException, InterruptedException {
        return cores < 2 ? () -> {} : Affinity.pin(plan.generatorCpu());
    }

    private static void requireLinux() throws IOException {
        if (!Files.exists(Path.of("/proc/self/stat"))) {
            throw new IOException("bench compare needs Linux: it reads CPU times from /proc");
        }
        Optional<String> missing =
                Stream.of("bash", "setsid", "taskset").filter(p -> !Programs.onPath(p)).findFirst();
        if (missing.isPresent()) {
            throw new IOException(missing.get() + " is missing (packages bash and util-linux)");
        }
    }

    private static String now() {
        return OffsetDateTime.now()
                .truncatedTo(ChronoUnit.SECONDS)
                .format(DateTimeFormatter.ISO_OFFSET_DATE_TIME);
    }

    private static void remove(Path folder) throws IOException {
        try (var files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.bench.compare.Compare;
import io.sirocco.bench.compare.Ending;
import io.sirocco.bench.compare.Guard;
import io.sirocco.bench.compare.Outcome;
import io.sirocco.bench.compare.Plan;
import io.sirocco.bench.report.Race;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sirocco bench compare}: reads and checks its options, and runs the race. */
@Command(
        name = "compare",
        description = {
            "Races servers against each other at the same works, one core each, and prints what a"
                    + " request costs them.",
            "Works: plaintext, plaintext-512, pipelined, churn, churn-1000, virtual, echo19, files,"
                    + " files-close, assets; and groups: all of these; the published benchmarks qurricane,"
                    + " pokerface, fire-io-rest; proxy: proxy-small, proxy-100k, proxy-cached; and live:"
                    + " live-connect, live-echo, live-fanout.",
            ""
        },
        sortOptions = false)
final class CompareCommand implements Callable<Integer> {
    private static final int ROUNDS = 5;
    private static final double SECONDS = 3;
    private static final int ROUNDS_OF_A_GUARD = 10;
    private static final double SECONDS_OF_A_GUARD = 0.5;
    private static final double WARM_UP_OF_A_GUARD = 5;

    @Spec private CommandSpec spec;

    @Option(
            names = "--work",
            paramLabel = "NAMES",
            split = ",",
            description = "What to do, separated by commas. (default: all)")
    private List<String> works;

    @Option(
            names = "--peers",
            paramLabel = "NAMES",
            split = ",",
            description = {
                "Folders of bench/peers, separated by commas; the floor and sirocco take part in any"
                        + " case. (default: all)"
            })
    private List<String> peers;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = {"How often each peer does each work. (default: 5; with --guard, 10)"})
    private Integer rounds;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = {"How long each time. (default: 3; with --guard, 0.5)"})
    private Double seconds;

    @Option(
            names = "--warm-up",
            paramLabel = "S",
            description = {
                "How long to warm up a server on the JVM before each workload is measured, until its"
                        + " methods are compiled. (default: 15; with --guard, 5)"
            })
    private Double warmUp;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Of the order within the rounds. (default: another one each time)")
    private Long seed;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description =
                    "Where results and logs go. (default: ./race-TIME; with --guard, bench/target/guard)")
    private Path out;

    @Option(
            names = "--server-cpu",
            paramLabel = "N",
            defaultValue = "" + Plan.SERVER_CPU,
            description = "The core that every server runs on. (default: ${DEFAULT-VALUE})")
    private int serverCpu;

    @Option(
            names = "--generator-cpu",
            paramLabel = "N",
            defaultValue = "" + Plan.GENERATOR_CPU,
            description = "The core that the load comes from. (default: ${DEFAULT-VALUE})")
    private int generatorCpu;

    @Option(
            names = "--guard",
            description = {
                "A short race of sirocco against the floor, which says one line; the exit code is 1"
                        + " when sirocco takes more than 1.5 times the CPU time of the floor."
            })
    private boolean guard;

    @Option(
            names = "--peers-dir",
            paramLabel = "DIR",
            description = "The folder of the peers. (default: bench/peers of Sirocco's own tree)")
    private Path peersDir;

    @Override
    public Integer call() throws IOException {
        Plan plan;
        Compare compare;
        try {
            plan = plan();
            compare = new Compare(plan);
        } catch (IllegalArgumentException e) {
            throw wrong(e.getMessage());
        }
        try (var ending = new Ending()) {
            Race race = compare.run(ending, guard ? silent() : spec.commandLine().getErr());
            return guard ? verdict(race) : outcome(race, plan.out());
        }
    }

    private int verdict(Race race) {
        Guard verdict = Guard.of(race);
        spec.commandLine().getOut().println(verdict.line());
        return verdict.good() ? 0 : 1;
    }

    private int outcome(Race race, Path folder) throws IOException {
        if (race.works().isEmpty()) {
            throw new IOException("nothing was measured; logs are in " + folder);
        }
        Outcome.write(race, folder, spec.commandLine().getOut());
        return 0;
    }

    private static PrintWriter silent() {
        return new PrintWriter(Writer.nullWriter());
    }

    private Plan plan() {
        if (guard && (works != null || peers != null)) {
            throw wrong("--guard has works and peers of its own");
        }
        Path folder = Optional.ofNullable(peersDir).orElseGet(this::ownPeers);
        return new Plan(
                guard ? Guard.WORKS : Optional.ofNullable(works).orElse(List.of("all")),
                guard ? List.of() : Optional.ofNullable(peers).orElse(List.of("all")),
                Optional.ofNullable(rounds).orElse(guard ? ROUNDS_OF_A_GUARD : ROUNDS),
                Optional.ofNullable(seconds).orElse(guard ? SECONDS_OF_A_GUARD : SECONDS),
                Optional.ofNullable(warmUp).orElse(guard ? WARM_UP_OF_A_GUARD : Plan.WARM_UP),
                Optional.ofNullable(seed).orElseGet(() -> System.nanoTime() & 0xffff),
                folder,
                Optional.ofNullable(out)
                        .orElseGet(() -> guard ? guardFolder(folder) : freshFolder()),
                serverCpu,
                generatorCpu);
    }

    private Path ownPeers() {
        String home = System.getProperty("sirocco.home");
        if (home == null) {
            throw wrong("--peers-dir must be given outside of Sirocco's own tree");
        }
        return Path.of(home, "bench", "peers");
    }

    /** Beside what is built: nobody looks into it unless something is wrong. */
    private static Path guardFolder(Path peers) {
        return peers.toAbsolutePath().resolveSibling("target").resolve("guard");
    }

    private static Path freshFolder() {
        var time = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");
        return Path.of("race-" + LocalDateTime.now().format(time));
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}

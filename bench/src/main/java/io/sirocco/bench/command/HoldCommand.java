// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.bench.hold.Hold;
import io.sirocco.bench.hold.HoldPlan;
import io.sirocco.bench.hold.HoldResult;
import io.sirocco.bench.hold.HoldSecond;
import io.sirocco.bench.hold.Span;
import io.sirocco.bench.report.HoldJson;
import io.sirocco.bench.report.HoldRecord;
import io.sirocco.bench.report.HoldTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sirocco bench hold}: many idle connections, from the words of a command line. */
@Command(
        name = "hold",
        description = {
            "Opens many keep-alive connections and holds them while each asks now and then; says"
                    + " whether the server kept them, and what that cost it.",
            ""
        },
        sortOptions = false)
final class HoldCommand implements Callable<Integer> {
    /** What stands for the length in a URL; in a URI, braces are written otherwise. */
    private static final String PLACE = "{length}";

    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "URL",
            description = "What to ask for; {length} in it is replaced by the length.")
    private String url;

    @Option(
            names = {"-n", "--connections"},
            paramLabel = "N",
            description = "Connections to hold. (default: 10000)")
    private Integer connections;

    @Option(
            names = "--ramp",
            paramLabel = "R/s",
            converter = RateWord.class,
            description = "How many are opened per second. (default: 5000/s)")
    private Double ramp;

    @Option(
            names = "--think",
            paramLabel = "FROM-TO",
            converter = SpanWord.Times.class,
            description =
                    "How long a connection waits from an answer to its next question."
                            + " (default: 10s-99s)")
    private Span think;

    @Option(
            names = "--length",
            paramLabel = "A-B",
            converter = SpanWord.Numbers.class,
            description = {
                "Ask for bodies of a random length, in place of {length} in the URL or as"
                        + " length=L in its query.",
                "(default: all must be as long as the first)"
            })
    private Span length;

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            defaultValue = "2m",
            converter = TimeWord.class,
            description =
                    "How long to hold them, from when all are open. (default: ${DEFAULT-VALUE})")
    private Duration duration;

    @Option(names = "--no-reopen", description = "What is lost stays lost.")
    private boolean noReopen;

    @Option(
            names = "--work",
            paramLabel = "NAME",
            description =
                    "Repeat a published run, http-kit-400k or http-kit-600k, or a larger one,"
                            + " http-kit-1m; other options override it.")
    private String work;

    @Option(
            names = "--processes",
            paramLabel = "P",
            description = "Spread them over so many processes. (default: as few as go)")
    private Integer processes;

    @Option(
            names = "--record",
            paramLabel = "DIR",
            description =
                    "Write a line for each second to DIR/hold.csv while it runs, and at the end a"
                            + " summary and charts.")
    private Path record;

    @Mixin private final Connecting connecting = new Connecting();
    @Mixin private final Watching watching = new Watching();
    @Mixin private final Output output = new Output();

    @Override
    public Integer call() throws Exception {
        HoldPlan plan = plan();
        if (record == null) {
            return Interruption.heeded(() -> run(plan, second -> {}), this::print);
        }
        try (HoldRecord kept = record()) {
            return Interruption.heeded(
                    () -> run(plan, kept::add),
                    result -> {
                        int exitCode = print(result);
                        kept.finish(url, commandLine(), result);
                        return exitCode;
                    });
        }
    }

    private HoldRecord record() {
        try {
            return HoldRecord.open(record, this::warn);
        } catch (IOException e) {
            throw new ParameterException(
                    spec.commandLine(), "--record " + record + ": " + e.getMessage());
        }
    }

    private void warn(String words) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("warning: " + words);
        err.flush();
    }

    /** As the user could type it again. */
    private String commandLine() {
        return Words.typed(spec.commandLine().getParseResult().originalArgs());
    }

    private HoldResult run(HoldPlan plan, Consumer<HoldSecond> kept) throws IOException {
        try (var line = new ProgressLine(spec.commandLine().getErr())) {
            return Hold.run(
                    plan,
                    second -> {
                        kept.accept(second);
                        line.show(HoldTable.line(second));
                    });
        }
    }

    private int print(HoldResult result) {
        output.print(() -> HoldTable.of(result), () -> HoldJson.write(result));
        return result.clean() ? 0 : 1;
    }

    /** What the options say; what is wrong with them is said in the user's words. */
    HoldPlan plan() {
        try {
            Optional<HoldWork> named = Optional.ofNullable(work).map(HoldWork::named);
            Site site = Site.of(url.replace(PLACE, "%7Blength%7D"));
            return HoldPlan.of(
                    site.address(), site.host(), site.target(), plan -> configure(plan, named));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    private void configure(HoldPlan plan, Optional<HoldWork> named) {
        set(connections, named, w -> w.connections).ifPresent(plan::connections);
        set(think, named, w -> w.think).ifPresent(plan::think);
        set(ramp, named, w -> w.ramp).ifPresent(plan::ramp);
        plan.length(set(length, named, w -> w.length))
                .duration(duration)
                .timeout(connecting.timeout())
                .reopen(!noReopen)
                .sources(connecting.sources())
                .transport(connecting.transport())
                .pid(watching.pid());
        if (processes != null) {
            plan.processes(processes);
        }
    }

    /** What the user says comes before what the work says. */
    private static <T> Optional<T> set(
            T option, Optional<HoldWork> named, Function<HoldWork, T> of) {
        return option != null ? Optional.of(option) : named.map(of);
    }
}

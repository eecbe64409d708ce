// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.bench.start.Start;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sirocco bench start}: start to first answer, and resident memory of an idle server. */
@Command(
        name = "start",
        description = {
            "Starts a server several times; prints how long it took from the command to the first"
                    + " answer, and what was resident a while later.",
            ""
        },
        sortOptions = false)
final class StartCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "COMMAND",
            arity = "0..*",
            description = {
                "How to start it, behind --; {port} in it is replaced by a free port.",
                "(default: this program itself, as serve --port {port})"
            })
    private List<String> command;

    @Option(
            names = {"-n", "--starts"},
            paramLabel = "N",
            defaultValue = "5",
            description = "How many times. (default: ${DEFAULT-VALUE})")
    private int starts;

    @Option(
            names = "--idle",
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = TimeWord.class,
            description =
                    "From the first answer to the look at the memory. (default: ${DEFAULT-VALUE})")
    private Duration idle;

    @Option(
            names = "--target",
            paramLabel = "PATH",
            defaultValue = "/hello/a",
            description = "What to ask for; the answer must be a 200. (default: ${DEFAULT-VALUE})")
    private String target;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (starts < 1 || starts > 1000) {
            throw wrong("--starts must be from 1 to 1000, not " + starts);
        }
        List<String> words = command == null ? ourselves() : command;
        var seen = new ArrayList<Start>();
        for (int i = 0; i < starts; i++) {
            seen.add(Start.of(words, target, idle));
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(
                line("start to first answer", seen.stream().mapToLong(Start::nanos), 1e6, "ms"));
        out.println(
                line(
                        "resident, " + idle.toMillis() / 1000.0 + " s later",
                        seen.stream().flatMapToLong(start -> start.resident().stream()),
                        1e6,
                        "MB"));
        out.flush();
        return 0;
    }

    private List<String> ourselves() {
        String launcher = System.getProperty("sirocco.launcher");
        if (launcher == null) {
            throw wrong("the launcher has not said where it is; name a COMMAND behind --");
        }
        return List.of(launcher, "serve", "--port", Start.PORT);
    }

    private static String line(String what, LongStream values, double unit, String name) {
        long[] sorted = values.sorted().toArray();
        if (sorted.length == 0) {
            return what + ": cannot be seen on this system";
        }
        return "%s: median %.1f %s, %.1f to %.1f %s, %d times"
                .formatted(
                        what,
                        sorted[sorted.length / 2] / unit,
                        name,
                        sorted[0] / unit,
                        sorted[sorted.length - 1] / unit,
                        name,
                        sorted.length);
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.bench.live.LiveBench;
import io.sirocco.bench.live.LiveCheck;
import io.sirocco.bench.live.LivePlan;
import io.sirocco.bench.live.LiveResult;
import io.sirocco.bench.live.LiveWork;
import io.sirocco.bench.report.LiveJson;
import io.sirocco.bench.report.LiveTable;
import io.sirocco.bench.report.ResultPage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sirocco bench live}: clients of Socket.IO, from the words of a command line. */
@Command(
        name = "live",
        description = {
            "Puts clients of Socket.IO on a server, over WebSocket, and says how fast they connect, how"
                    + " long an echo takes, or when a message has reached them all.",
            ""
        },
        sortOptions = false)
final class LiveCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "URL",
            description =
                    "The server; its path is that of Socket.IO, /socket.io/ if there is none.")
    private String url;

    @ArgGroup(multiplicity = "1")
    private What what;

    /** One of them. */
    static final class What {
        @Option(
                names = "--connect",
                required = true,
                description =
                        "Clients connect, all of them, and leave again. Nothing is warmed up.")
        private boolean connect;

        @Option(
                names = "--echo",
                required = true,
                description = "Each client asks for an echo, again and again.")
        private boolean echo;

        @Option(
                names = "--fanout",
                required = true,
                description = "One publishes to a room that all the others are in.")
        private boolean fanout;

        @Option(
                names = "--check",
                required = true,
                description = "Only look whether the server answers rightly.")
        private boolean check;
    }

    @Option(
            names = {"-n", "--clients"},
            paramLabel = "N",
            defaultValue = "1000",
            description = "Clients; of a fan-out, receivers. (default: ${DEFAULT-VALUE})")
    private int clients;

    @Option(
            names = "--in-flight",
            paramLabel = "N",
            description = {
                "With --connect, clients that are connecting at the same time (default: 30); with --echo,"
                        + " requests of one client (1); with --fanout, messages on their way to all (8)."
            })
    private Integer inFlight;

    @Option(
            names = "--rate",
            paramLabel = "R",
            defaultValue = "0",
            description = {
                "An open loop: R round trips of all, or messages, per second at fixed times, latency"
                        + " counted from those times.",
                "(default: a closed loop, as many as go)"
            })
    private double rate;

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            converter = TimeWord.class,
            defaultValue = "10s",
            description = "How long to measure: 500ms, 10s, 2m. (default: ${DEFAULT-VALUE})")
    private Duration duration;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "32",
            description = "Of the text in each message. (default: ${DEFAULT-VALUE})")
    private int size;

    @Option(
            names = "--stalled",
            paramLabel = "N",
            defaultValue = "0",
            description = "With --fanout: further receivers that stop reading. (default: none)")
    private int stalled;

    @Option(
            names = "--times",
            paramLabel = "N",
            defaultValue = "1",
            description = "With --connect: how often all connect. (default: ${DEFAULT-VALUE})")
    private int times;

    @Option(
            names = "--hold",
            paramLabel = "TIME",
            converter = TimeWord.class,
            defaultValue = "0s",
            description = {
                "With --connect: how long all stay; with --fanout: before the first message.",
                "(default: not at all)"
            })
    private Duration hold;

    @Option(
            names = "--probes",
            paramLabel = "R",
            defaultValue = "0",
            description = {
                "With --fanout: 16 further clients ask for R echoes per second at fixed times, while the"
                        + " receivers are held idle and while messages are published.",
                "(default: none)"
            })
    private double probes;

    @Option(
            names = "--password",
            paramLabel = "WORD",
            description = {
                "What admits a client. All users of this machine can see it in the list of processes: the"
                        + " variable SIROCCO_PASSWORD does not show it.",
                "(default: the variable, or clients bring none)"
            })
    private String password;

    @Option(
            names = "--no-ticket",
            description = {
                "Connect with the password itself. (default: POST /ticket first, and connect with the"
                        + " ticket)"
            })
    private boolean noTicket;

    @Mixin private final Generating generating = new Generating();
    @Mixin private final Connecting connecting = new Connecting();
    @Mixin private final Watching watching = new Watching();

    @Option(
            names = "--no-watch",
            description = {
                "Do not look at the server's process. (default: a JVM on this machine is made to collect"
                        + " its garbage before and after)"
            })
    private boolean noWatch;

    @Mixin private final PageOutput output = new PageOutput();

    @Override
    public Integer call() throws Exception {
        LivePlan plan = plan();
        if (what.check) {
            return check(plan);
        }
        return Interruption.heeded(() -> run(plan), this::print);
    }

    private int check(LivePlan plan) {
        Optional<String> wrong = LiveCheck.of(plan);
        spec.commandLine().getOut().println(wrong.map(w -> "wrong: " + w).orElse("ok"));
        return wrong.isEmpty() ? 0 : 1;
    }

    private LiveResult run(LivePlan plan) throws IOException {
        try (var line = new ProgressLine(spec.commandLine().getErr())) {
            return LiveBench.run(plan, second -> line.show(second, plan.work().units()));
        }
    }

    private int print(LiveResult result) throws IOException {
        output.print(() -> LiveTable.of(result), () -> LiveJson.write(result));
        output.page(() -> ResultPage.of(url, commandLine(), result));
        return result.clean() ? 0 : 1;
    }

    /** As the user could type it again, but for the password: pages are shown around. */
    private String commandLine() {
        boolean shown = password != null && !password.isEmpty();
        return Words.typed(
                spec.commandLine().getParseResult().originalArgs().stream()
                        .map(word -> shown ? word.replace(password, "...") : word)
                        .toList());
    }

    /** What the options say; what is wrong with them is said in the user's words. */
    LivePlan plan() {
        try {
            Site site = Site.of(url);
            return LivePlan.on(
                    site.address(), site.host(), path(site.target()), work(), this::configure);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    private LiveWork work() {
        return what.echo ? LiveWork.ECHO : what.fanout ? LiveWork.FANOUT : LiveWork.CONNECT;
    }

    private static String path(String target) {
        if (target.contains("?")) {
            throw new IllegalArgumentException("the URL must have no query");
        }
        return target.equals("/") ? "/socket.io/" : target.endsWith("/") ? target : target + "/";
    }

    private void configure(LivePlan plan) {
        plan.clients(clients)
                .rate(rate)
                .duration(what.connect ? Duration.ofDays(1) : duration)
                .size(size)
                .stalled(stalled)
                .times(times)
                .hold(hold)
                .probes(probes)
                .ticket(!noTicket)
                .loops(generating.loops())
                .warmUp(generating.warmUp())
                .timeout(connecting.timeout())
                .watch(!noWatch)
                .pid(watching.pid())
                .sources(connecting.sources())
                .transport(connecting.transport());
        Optional.ofNullable(inFlight).ifPresent(plan::inFlight);
        Optional.ofNullable(password)
                .or(() -> Optional.ofNullable(System.getenv("SIROCCO_PASSWORD")))
                .ifPresent(plan::password);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.bench.Call;
import io.sirocco.bench.HttpBench;
import io.sirocco.bench.Load;
import io.sirocco.bench.Result;
import io.sirocco.bench.report.ResultJson;
import io.sirocco.bench.report.ResultPage;
import io.sirocco.bench.report.ResultTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sirocco bench http}: a load of HTTP requests, from the words of a command line. */
@Command(
        name = "http",
        description = {
            "Puts a load of HTTP/1.1 requests on a server, and says how many it answered and how"
                    + " long each took. Exits with 1 when a request failed, or a response has"
                    + " another status than 2xx.",
            ""
        },
        sortOptions = false)
final class HttpCommand implements Callable<Integer> {
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final Duration USUAL = Duration.ofSeconds(10);

    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "URL", arity = "0..1", description = "What to ask for.")
    private String url;

    @Option(
            names = {"-c", "--connections"},
            paramLabel = "N",
            defaultValue = "64",
            description = "Connections that are open at once. (default: ${DEFAULT-VALUE})")
    private int connections;

    @Mixin private final Generating generating = new Generating();

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            converter = TimeWord.class,
            description =
                    "How long to measure: 500ms, 10s, 2m. (default: 10s, or with -n until all is"
                            + " answered, an hour at most)")
    private Duration duration;

    @Option(
            names = {"-n", "--requests"},
            paramLabel = "N",
            description = "End when so many requests were answered.")
    private Long requests;

    @Option(
            names = "--rate",
            paramLabel = "R",
            defaultValue = "0",
            description = {
                "An open loop: R requests per second at fixed times, latency counted from those"
                        + " times.",
                "(default: a closed loop, as many as go)"
            })
    private double rate;

    @Option(
            names = "--pipeline",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Requests that leave in one write, before their answers. (default:"
                            + " ${DEFAULT-VALUE})")
    private int pipeline;

    @Option(names = "--close", description = "A connection for each request.")
    private boolean close;

    @Option(
            names = {"-m", "--method"},
            paramLabel = "M",
            description = "The method. (default: GET, or POST with --body)")
    private String method;

    @Option(
            names = {"-H", "--header"},
            paramLabel = "'NAME: VALUE'",
            description = "A further field of the head; may be given several times.")
    private List<String> headers = List.of();

    @Option(
            names = "--body",
            paramLabel = "TEXT|@FILE",
            description = "The body: this text, or what FILE holds.")
    private String body;

    @Option(
            names = "--urls",
            paramLabel = "FILE",
            description =
                    "Several URLs of one server, one per line, taken in order; or by weight where a"
                            + " number stands before them.")
    private Path urls;

    @Mixin private final Connecting connecting = new Connecting();
    @Mixin private final PageOutput output = new PageOutput();

    private Map<String, String> fields; // of each request
    private byte[] content;

    @Override
    public Integer call() throws Exception {
        Load load = load();
        return Interruption.heeded(() -> run(load), this::print);
    }

    private Result run(Load load) throws IOException {
        try (var line = new ProgressLine(spec.commandLine().getErr())) {
            return HttpBench.run(load, line::show);
        }
    }

    private int print(Result result) throws IOException {
        output.print(() -> ResultTable.of(result), () -> ResultJson.write(result));
        output.page(() -> ResultPage.of(title(), commandLine(), result));
        return result.allWell() ? 0 : 1;
    }

    private String title() {
        return url != null ? url : "the URLs of " + urls;
    }

    /** As the user could type it again. */
    private String commandLine() {
        return Words.typed(spec.commandLine().getParseResult().originalArgs());
    }

    /** What the options say; what is wrong with them is said in the user's words. */
    Load load() {
        if (url == null && urls == null) {
            throw wrong("a URL is missing, or --urls FILE");
        }
        if (url != null && urls != null) {
            throw wrong("give a URL or --urls, not both");
        }
        try {
            fields = fields();
            content = body();
            return urls == null ? of(Site.of(url)) : of(UrlFile.read(urls));
        } catch (IllegalArgumentException e) {
            throw wrong(e.getMessage());
        }
    }

    private Load of(Site site) {
        return Load.on(site.address(), List.of(call(site)), this::configure);
    }

    private Load of(UrlFile file) {
        var calls = new ArrayList<Call>();
        for (UrlFile.Entry entry : file.entries()) {
            calls.add(call(entry.site()).times(entry.weight()));
        }
        return Load.on(
                file.entries().getFirst().site().address(),
                calls,
                load -> configure(load.order(file.order())));
    }

    private void configure(Load load) {
        Duration usual = requests == null ? USUAL : LONGEST;
        load.connections(connections)
                .loops(generating.loops())
                .pipeline(pipeline)
                .close(close)
                .rate(rate)
                .duration(duration == null ? usual : duration)
                .requests(requests == null ? Long.MAX_VALUE : requests)
                .warmUp(generating.warmUp())
                .timeout(connecting.timeout())
                .sources(connecting.sources())
                .transport(connecting.transport());
    }

    private Call call(Site site) {
        String verb = method != null ? method : body != null ? "POST" : "GET";
        return Call.of(verb, site.host(), site.target(), fields, content);
    }

    private Map<String, String> fields() {
        var fields = new LinkedHashMap<String, String>();
        var names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        for (String header : headers) {
            int colon = header.indexOf(':');
            if (colon < 1) {
                throw wrong("-H '" + header + "' is not of the form 'Name: value'");
            }
            String name = header.substring(0, colon);
            if (!names.add(name)) {
                throw wrong("-H " + name + " is given twice");
            }
            fields.put(name, header.substring(colon + 1).strip());
        }
        return fields;
    }

    private byte[] body() {
        if (body == null) {
            return new byte[0];
        }
        if (!body.startsWith("@")) {
            return body.getBytes(StandardCharsets.UTF_8);
        }
        String file = body.substring(1);
        try {
            return Files.readAllBytes(Path.of(file));
        } catch (NoSuchFileException e) {
            throw wrong("--body: there is no file " + file);
        } catch (IOException e) {
            throw wrong("cannot read the body from " + file + ": " + e.getMessage());
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.hold.HoldPlan;
import io.sirocco.bench.hold.Span;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
class HoldCommandTest {
    private static final String URL = "http://127.0.0.1:1/";

    private static Run run(String... words) {
        return Run.of(Stream.concat(Stream.of("hold"), Stream.of(words)).toArray(String[]::new));
    }

    private static HoldPlan plan(String... words) {
        var all = Stream.concat(Stream.of("hold"), Stream.of(words)).toArray(String[]::new);
        var parsed = new CommandLine(new Bench()).parseArgs(all).subcommand().commandSpec();
        return ((HoldCommand) parsed.userObject()).plan();
    }

    @Test
    void withoutOptionsTenThousandThinkUpToAHundredSeconds() {
        HoldPlan plan = plan(URL);
        assertEquals(10_000, plan.connections());
        assertEquals(new Span(10_000, 99_000), plan.think());
        assertEquals(Optional.empty(), plan.length());
    }

    @ParameterizedTest
    @CsvSource({
        "http-kit-400k, 400000, 10000, 99000, 10239",
        "http-kit-600k, 600000, 5000, 50000, 4095",
        "http-kit-1m, 1000000, 10000, 99000, 10239"
    })
    void thePublishedWorks(String name, int connections, long from, long to, long length) {
        HoldPlan plan = plan(URL, "--work", name);
        assertEquals(connections, plan.connections());
        assertEquals(new Span(from, to), plan.think());
        assertEquals(Optional.of(new Span(0, length)), plan.length());
    }

    @Test
    void optionsGoBeforeTheWork() {
        HoldPlan plan =
                plan(
                        URL,
                        "--work=http-kit-400k",
                        "-n",
                        "5",
                        "--think",
                        "500ms-2s",
                        "--length",
                        "7");
        assertEquals(5, plan.connections());
        assertEquals(new Span(500, 2_000), plan.think());
        assertEquals(Optional.of(new Span(7, 7)), plan.length());
    }

    @ParameterizedTest
    @CsvSource({"http-kit-400k, 80, 7339", "http-kit-600k, 100, 21818", "http-kit-1m, 125, 18348"})
    void thePaceOfAWorkOpensAllInSoManySeconds(String name, int seconds, int rate) {
        HoldPlan plan = plan(URL, "--work", name);
        assertEquals(seconds, plan.connections() / plan.ramp(), 1e-9);
        assertEquals(rate, plan.expectedRate(), 1);
        assertEquals(500, plan(URL, "--work", name, "--ramp", "500/s").ramp());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ftp://127.0.0.1/",
                "http://127.0.0.1:1/{length}",
                URL + " -n 0",
                URL + " -n many",
                URL + " --ramp 5000/m",
                URL + " --ramp 0",
                URL + " --think 99s-10s",
                URL + " --think 10-99",
                URL + " --think 0s",
                URL + " --length 5-",
                URL + " --length 9-1",
                URL + " --length 99999999999",
                URL + " --work http-kit-2m",
                URL + " --sources 127.0.0.9-127.0.0.2",
                URL + " --sources ::1",
                URL + " --transport kqueue",
                URL + " --processes 2000",
                URL + " -d 0s",
                URL + " --timeout soon",
                URL + " --no-such"
            })
    void aWrongOptionIsExplainedAndExitsWith2(String words) {
        Run run = words.isEmpty() ? run() : run(words.split(" "));
        assertEquals(2, run.exitCode(), run.err());
        assertEquals("", run.out());
        assertTrue(run.err().length() > 0);
    }

    private static Server serving() {
        return Server.start(
                config -> config.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                routes ->
                        routes.get(
                                "/bytes/{length}",
                                request ->
                                        Response.bytes(
                                                new byte
                                                        [Integer.parseInt(
                                                                request.param("length"))])));
    }

    @Test
    @Tag("peers")
    void whenAllIsWellTheExitCodeIs0AndTheResultCanBeReadByPrograms() {
        try (Server server = serving()) {
            String url = "http://127.0.0.1:" + server.port() + "/bytes/{length}";
            Run run =
                    run(
                            url,
                            "-n",
                            "50",
                            "--think",
                            "10ms-20ms",
                            "--length",
                            "1-100",
                            "-d",
                            "100ms",
                            "--json");
            assertEquals(0, run.exitCode(), run.err() + run.out());
            JsonNode result = new JsonMapper().readTree(run.out());
            assertEquals(50, result.get("wanted").asInt());
            assertEquals(50, result.get("alive").asInt());
            assertEquals(0, result.get("counts").get("resets").asInt());
            assertTrue(result.get("counts").get("answers").asLong() >= 50);
            assertTrue(result.get("server").get("heap").asLong() > 0);
            assertTrue(result.get("overTime").size() > 0);
        }
    }

    @Test
    @Tag("peers")
    void aRecordHasTheSecondsOfTheRunAndItsSummary(@TempDir Path folder) throws Exception {
        try (Server server = serving()) {
            String url = "http://127.0.0.1:" + server.port() + "/bytes/9";
            Path record = folder.resolve("run");
            String[] words = {
                url, "-n", "50", "--think", "10ms-20ms", "-d", "1500ms", "--record", "" + record
            };
            Run run = run(words);
            assertEquals(0, run.exitCode(), run.err() + run.out());
            List<String> lines = Files.readAllLines(record.resolve("hold.csv"));
            assertTrue(lines.stream().anyMatch(line -> line.contains(",holding,50,")), "" + lines);
            assertEquals(run.out(), Files.readString(record.resolve("summary.txt")));
            JsonNode result = new JsonMapper().readTree(record.resolve("summary.json").toFile());
            assertEquals(lines.size() - 1, result.get("overTime").size());
            JsonNode second = result.get("overTime").get(1);
            assertTrue(second.get("server").get("heap").asLong() > 0, second.toString());
            assertTrue(second.get("server").get("rss").asLong() > 0, second.toString());
            assertTrue(second.get("generator").get("heap").asLong() > 0, second.toString());
            assertTrue(second.get("kernel").get("slab").asLong() > 0, second.toString());
            String page = Files.readString(record.resolve("index.html"));
            assertTrue(page.contains("--record"), page);
            assertEquals(6, page.split("<svg").length - 1);

            Run again = run(words); // would lose what was recorded
            assertEquals(2, again.exitCode());
            assertTrue(again.err().contains("has the record of a run already"), again.err());
            assertEquals(lines, Files.readAllLines(record.resolve("hold.csv")));
        }
    }

    @Test
    @Tag("peers")
    void whenAnAnswerIsWrongTheExitCodeIs1() {
        try (Server server = serving()) {
            String url = "http://127.0.0.1:" + server.port() + "/no/such/page";
            Run run = run(url, "-n", "5", "--think", "10ms", "-d", "50ms");
            assertEquals(1, run.exitCode(), run.err());
            assertTrue(run.out().contains("5 wanted, 5 alive"), run.out());
            assertTrue(run.out().contains(" of a wrong status"), run.out());
        }
    }

    @Test
    void whenNobodyListensTheExitCodeIs1() {
        Run run = run("http://127.0.0.1:1/", "-n", "5");
        assertEquals(1, run.exitCode());
        assertEquals("", run.out());
    }
}

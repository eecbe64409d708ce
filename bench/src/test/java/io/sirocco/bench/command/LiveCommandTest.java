// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.live.ChannelServer;
import io.sirocco.bench.live.LiveWork;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
class LiveCommandTest {
    private static final String URL = "http://127.0.0.1:1/";

    @TempDir private Path folder;

    private static Run run(String... words) {
        return Run.of(Stream.concat(Stream.of("live"), Stream.of(words)).toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({"--connect, CONNECT", "--echo, ECHO", "--fanout, FANOUT"})
    void whatIsToBeDone(String option, LiveWork work) {
        var parsed = new CommandLine(new Bench()).parseArgs("live", URL, option);
        var command = (LiveCommand) parsed.subcommand().commandSpec().userObject();
        assertEquals(work, command.plan().work());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                URL + " | Missing required argument",
                URL + " --echo --fanout | mutually exclusive",
                URL + " --echo -n 0 | clients must be from the number of loops",
                URL + " --echo --in-flight 0 | in flight there may be 1 to 1000, not 0",
                URL + " --echo --stalled 1 | only receivers of a fan-out can stop reading",
                URL + " --echo --rate -1 | rate must be",
                URL + " --connect --rate 9 | a rate is of round trips or messages",
                URL + " --echo --times 2 | times are for those who connect and leave",
                URL + " --fanout --times 2 | times are for those who connect and leave",
                URL + " --echo --hold 1s | clients that ask for echoes are not idle",
                URL + " --echo --probes 1 | probes are echoes beside a fan-out",
                URL + " --fanout --probes -1 | probes are echoes beside a fan-out",
                "ws://127.0.0.1:1/ --echo | only http is spoken, not ws",
                URL + "?a=b --echo | the URL must have no query",
            })
    void whatIsWrongIsSaid(String words, String why) {
        Run run = run(words.split(" "));
        assertEquals(2, run.exitCode());
        assertTrue(run.err().contains(why), run.err());
    }

    @Test
    void aTableForPeopleAndAPage() throws Exception {
        try (var server = new ChannelServer()) {
            Path page = folder.resolve("page.html");
            Run run =
                    run(
                            server.url() + "/socket.io",
                            "--fanout",
                            "-n3",
                            "-d200ms",
                            "--warm-up=0s",
                            "--no-watch",
                            "--password",
                            ChannelServer.PASSWORD,
                            "--html",
                            page.toString());
            assertEquals(0, run.exitCode(), run.err());
            assertTrue(run.out().contains("clients      4 wanted, 4 ready\n"), run.out());
            assertTrue(run.out().contains("failures     none\n"), run.out());
            String html = Files.readString(page);
            assertTrue(html.contains("Deliveries/s in each second"));
            assertFalse(html.contains("of two words"), "the page shows the password");
        }
    }

    @Test
    void jsonForPrograms() {
        try (var server = new ChannelServer()) {
            Run run =
                    run(
                            server.url(),
                            "--connect",
                            "-n5",
                            "--times=2",
                            "--no-watch",
                            "--no-ticket",
                            "--password",
                            ChannelServer.PASSWORD,
                            "--json");
            assertEquals(0, run.exitCode(), run.err());
            JsonNode json = new JsonMapper().readTree(run.out());
            assertEquals("connect", json.get("work").stringValue());
            assertEquals(10, json.get("counted").intValue());
            assertEquals(2, json.get("opening").get("timesSeconds").size());
            assertTrue(json.get("server").isNull());
        }
    }

    @Test
    void aCheckSaysWhetherAllIsRight() {
        try (var server = new ChannelServer()) {
            Run right = run(server.url(), "--check", "--password", ChannelServer.PASSWORD);
            assertEquals("ok", right.out().strip());
            assertEquals(0, right.exitCode());
            Run wrong = run(server.url(), "--check", "--password", "another");
            assertEquals("wrong: POST /ticket: status 401", wrong.out().strip());
            assertEquals(1, wrong.exitCode());
        }
    }
}

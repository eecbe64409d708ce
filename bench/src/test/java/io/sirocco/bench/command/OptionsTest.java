// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.bench.Scripted;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What the words of the command line come to. */
@Timeout(60)
class OptionsTest {
    private static final String URL = "http://127.0.0.1:8080/";

    @TempDir private Path folder;

    private static String load(String... words) {
        var all = new ArrayList<>(List.of("http"));
        all.addAll(List.of(words));
        var line = new CommandLine(new Bench());
        var command = line.parseArgs(all.toArray(String[]::new)).subcommand().commandSpec();
        return ((HttpCommand) command.userObject()).load().toString();
    }

    @Test
    void withoutAnyThereAreTheDefaults() {
        assertEquals(
                "GET / of 127.0.0.1:8080: connections 64, loops 1, closed loop, duration PT10S,"
                        + " warm-up PT1S, timeout PT10S, transport auto",
                load(URL));
    }

    @Test
    void shortNames() {
        assertEquals(
                "PUT /a?b=c of 127.0.0.1:80: connections 9, loops 3, closed loop, duration PT0.25S,"
                        + " requests 77, warm-up PT1S, timeout PT10S, transport auto",
                load(
                        "-c9",
                        "-t",
                        "3",
                        "-d",
                        "250ms",
                        "-n=77",
                        "-m",
                        "PUT",
                        "http://127.0.0.1/a?b=c"));
    }

    @Test
    void longNames() throws Exception {
        Path urls = folder.resolve("urls");
        Files.writeString(urls, "5 http://127.0.0.1:8080/a\n\n# none\nhttp://127.0.0.1:8080/b\n");
        assertEquals(
                "GET /a (5), GET /b (1), at random by weight, of 127.0.0.1:8080: connections 8, loops"
                        + " 2, rate 1500.5/s, a connection for each request, duration PT2M,"
                        + " requests 10, warm-up PT0S, timeout PT1.5S, from 127.0.0.2 and 1 more,"
                        + " transport nio",
                load(
                        "--connections=8",
                        "--loops=2",
                        "--duration=2m",
                        "--requests=10",
                        "--rate=1500.5",
                        "--close",
                        "--urls=" + urls,
                        "--warm-up=0s",
                        "--timeout=1.5s",
                        "--sources=127.0.0.2-127.0.0.3",
                        "--transport=nio"));
        assertEquals(
                "GET / of 127.0.0.1:8080: connections 64, loops 1, closed loop, pipeline 16,"
                        + " duration PT10S, warm-up PT1S, timeout PT10S, transport io_uring",
                load("--pipeline=16", "--transport", "io_uring", URL));
    }

    @Test
    void aNumberOfRequestsMayTakeUpToAnHour() {
        assertEquals(
                "GET / of 127.0.0.1:8080: connections 64, loops 1, closed loop, duration PT1H,"
                        + " requests 5, warm-up PT1S, timeout PT10S, transport auto",
                load(URL, "-n", "5"));
    }

    @ParameterizedTest
    @CsvSource({
        "500ms,PT0.5S",
        "10s,PT10S",
        "2m,PT2M",
        "1h,PT1H",
        "1.5m,PT1M30S",
        "0.001s,PT0.001S",
        "0.5ms,PT0.0005S",
        "8760h,PT8760H"
    })
    void times(String word, String duration) {
        assertEquals(duration, new TimeWord().convert(word).toString());
    }

    /** What the server is asked: one request each time. */
    @Test
    void theRequestItself() throws Exception {
        BlockingQueue<String> asked = new LinkedBlockingQueue<>();
        Path letter = Files.writeString(folder.resolve("letter"), "grün\n");
        try (var server =
                new Scripted(
                        peer -> {
                            String head = peer.request();
                            peer.send("HTTP/1.1 200 OK\nConnection: close\nContent-Length: 0\n\n");
                            asked.add(head + peer.untilEnd());
                        })) {
            String host = "127.0.0.1:" + server.address().getPort();
            String url = "http://" + host + "/a";
            String start = " /a HTTP/1.1\nHost: " + host + "\n";
            assertEquals("GET" + start + "\n", asked(asked, url));
            assertEquals("HEAD" + start + "\n", asked(asked, url, "-m", "HEAD"));
            assertEquals(
                    "GET" + start + "A: b: c\nEmpty: \nX-Y: z\n\n",
                    asked(asked, url, "-H", "A:  b: c ", "-H", "Empty:", "--header", "X-Y:z"));
            assertEquals(
                    "GET /a HTTP/1.1\nhost: other\n\n", asked(asked, url, "-H", "host: other"));
            assertEquals(
                    "POST" + start + "Content-Length: 5\n\nhello",
                    asked(asked, url, "--body", "hello"));
            assertEquals(
                    "PUT" + start + "Content-Length: 6\n\ngrün\n",
                    asked(asked, url, "--body", "@" + letter, "-m", "PUT"));
            assertEquals("POST" + start + "Content-Length: 0\n\n", asked(asked, url, "--body="));
            assertEquals("GET" + start + "Connection: close\n\n", asked(asked, url, "--close"));
        }
    }

    private static String asked(BlockingQueue<String> asked, String... words) throws Exception {
        var all = new ArrayList<>(List.of("http", "-n1", "-c1", "--warm-up=0s"));
        all.addAll(List.of(words));
        var line = new CommandLine(new Bench()).setExpandAtFiles(false); // as the program does
        line.setOut(new PrintWriter(new StringWriter()));
        assertEquals(0, line.execute(all.toArray(String[]::new)));
        return new String(
                        asked.take().getBytes(java.nio.charset.StandardCharsets.ISO_8859_1), UTF_8)
                .replace("\r\n", "\n");
    }

    @Test
    void whenNothingIsAnsweredTheExitCodeIs1() throws Exception {
        try (var server = Scripted.answering("garbage\n")) {
            var line = new CommandLine(new Bench());
            line.setOut(new PrintWriter(new StringWriter()));
            String url = "http://127.0.0.1:" + server.address().getPort();
            assertEquals(1, line.execute("http", "-n1", "-c1", "--warm-up=0s", url));
        }
    }
}

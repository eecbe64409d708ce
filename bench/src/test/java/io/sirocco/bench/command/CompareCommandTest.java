// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class CompareCommandTest {
    @TempDir private Path peers;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--work plaintxt          | there is no work 'plaintxt'; there are plaintext, ",
                "--work all,plaintxt      | the groups all, qurricane, pokerface, fire-io-rest",
                "--peers all,nginy        | there is no peer 'nginy' in ",
                "--peers nginy            | there are nginx",
                "--rounds 0               | rounds must be from 1 to 1000, not 0",
                "--rounds few             | 'few' is not an int",
                "--seconds 0              | seconds must be from 0.1 to 3600, not 0.0",
                "--server-cpu -1          | the CPU of the servers must be at least 0, not -1",
                "--guard --work all       | --guard has works and peers of its own",
                "--peers-dir no/such      | there is no folder of peers at ",
                "--wrok all               | Unknown option",
            })
    void aWrongCommandLineIsExplainedAndExitsWith2(String arguments, String message)
            throws Exception {
        Files.createDirectories(peers.resolve("nginx"));
        Files.createFile(peers.resolve("nginx/peer"));
        Run run = run(Stream.concat(Stream.of("--peers-dir=" + peers), words(arguments)));
        assertEquals(2, run.exitCode(), run.err());
        assertTrue(run.err().contains(message), run.err());
    }

    @Test
    void outsideOfTheTreeThePeersMustBeNamed() {
        Run run = run(Stream.of("--work", "plaintext"));
        assertEquals(2, run.exitCode(), run.err());
        assertTrue(run.err().contains("--peers-dir must be given"), run.err());
    }

    private static Stream<String> words(String arguments) {
        return Stream.of(arguments.split(" +"));
    }

    private record Run(int exitCode, String err) {}

    private static Run run(Stream<String> arguments) {
        var err = new StringWriter();
        var line = new CommandLine(new CompareCommand());
        line.setOverwrittenOptionsAllowed(true);
        line.setErr(new PrintWriter(err, true));
        return new Run(line.execute(arguments.toArray(String[]::new)), err.toString());
    }
}

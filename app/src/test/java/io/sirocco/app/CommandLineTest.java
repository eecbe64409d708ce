// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.config.Overrides;
import io.sirocco.net.TransportKind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineTest {

    @Nested
    class ServeTakes {

        @Test
        void nothing() {
            assertEquals(Overrides.NONE, options());
        }

        @Test
        void everyOption(@TempDir Path site) {
            var expected =
                    new Overrides(
                            Optional.of(site),
                            Optional.of("0.0.0.0"),
                            Optional.of(0),
                            Optional.of(3),
                            Optional.of(TransportKind.IO_URING),
                            Optional.of(Duration.ofMinutes(5)),
                            true);
            assertEquals(
                    expected,
                    options(
                            "--idle=5m",
                            "--port",
                            "0",
                            "--host",
                            "0.0.0.0",
                            "--loops=3",
                            "--tls-self-signed",
                            "--transport",
                            "io_uring",
                            site.toString()));
        }

        @Test
        void aFile(@TempDir Path folder) {
            Path file = folder.resolve("x.toml");
            assertEquals(Optional.of(file), source("--config", file.toString()).file());
            assertEquals(Optional.empty(), source().file(), "there is no sirocco.toml here");
        }

        @Test
        void aDirectoryRelativeToWhereTheUserStands() {
            assertEquals(Optional.of(Path.of("src").toAbsolutePath()), options("src").directory());
        }

        @Test
        void aDirectoryWhoseNameLooksLikeAnOption(@TempDir Path parent) throws Exception {
            Path odd = Files.createDirectory(parent.resolve("--port"));
            assertEquals(Optional.of(odd), options("--", odd.toString()).directory());
        }

        @ParameterizedTest
        @CsvSource({"auto,AUTO", "io_uring,IO_URING", "nio,NIO"})
        void theTransportsByName(String word, TransportKind transport) {
            assertEquals(Optional.of(transport), options("--transport", word).transport());
        }

        private Overrides options(String... args) {
            return source(args).overrides();
        }

        private Source source(String... args) {
            var all = Stream.concat(Stream.of("serve"), Stream.of(args)).toArray(String[]::new);
            var line = Main.commandLine(all);
            var serve = line.parseArgs(all).subcommand().commandSpec();
            return ((Serve) serve.userObject()).source();
        }
    }

    @Nested
    class AWrongCommandLine {

        @ParameterizedTest
        @CsvSource(
                quoteCharacter = '"',
                value = {
                    "serve --port 65536       | --port must be from 0 to 65535, not 65536",
                    "serve --port -1          | --port must be from 0 to 65535, not -1",
                    "serve --port http        | --port: 'http' is not a whole number",
                    "serve --loops 0          | --loops must be from 1 to 1024, not 0",
                    "serve --loops 99999      | --loops must be from 1 to 1024, not 99999",
                    "serve --transport kqueue | 'kqueue' is none of auto, io_uring, epoll, nio",
                    "serve --transport NIO    | 'NIO' is none of auto, io_uring, epoll, nio",
                    "serve --idle soon        | 'soon' is not a time",
                    "serve --host [::zz]      | --host '[::zz]' is neither an address nor a known name",
                    "serve no/such/folder     | the directory 'no/such/folder' does not exist",
                    "serve pom.xml            | 'pom.xml' is not a directory",
                    "serve src pom.xml        | unexpected argument 'pom.xml'",
                    "serve @pom.xml           | the directory '@pom.xml' does not exist",
                    "serve --prot 80          | unknown option '--prot'",
                    "serve --prot=80          | unknown option '--prot'",
                    "serve --port             | --port",
                },
                delimiter = '|')
        void isExplainedAndExitsWith2(String args, String message) {
            Run run = run(args.split(" +"));
            assertEquals(2, run.exitCode(), run.err());
            assertTrue(run.err().startsWith("sirocco serve: "), run.err());
            assertTrue(run.err().contains(message), run.err());
            assertTrue(run.err().contains("See 'sirocco serve --help'."), run.err());
            assertEquals("", run.out());
        }

        /** A word that begins with @ is meant for the command, not for picocli. */
        @Test
        void ofBenchNamesTheHelpThatThereIs() {
            Run run = run("bench", "http", "http://127.0.0.1/", "--body", "@no/file");
            assertEquals(2, run.exitCode(), run.err());
            String expected =
                    """
                    sirocco bench http: --body: there is no file no/file
                    See 'sirocco bench http --help'.
                    """;
            assertEquals(expected, run.err());
            Run help = run("bench", "help", "http");
            assertEquals(0, help.exitCode());
            assertTrue(help.out().contains("--body"), help.out());
        }

        @Test
        void withAnUnknownCommandSuggestsTheNearest() {
            Run run = run("sevre");
            assertEquals(2, run.exitCode());
            assertEquals(
                    """
                    sirocco: unknown command 'sevre'
                    did you mean "serve"?
                    See 'sirocco --help'.
                    """,
                    run.err());
        }

        @Test
        void belowBenchToo() {
            Run run = run("bench", "htp");
            assertEquals(2, run.exitCode());
            assertEquals(
                    """
                    sirocco bench: unknown command 'htp'
                    did you mean "http"?
                    See 'sirocco bench --help'.
                    """,
                    run.err());
        }

        @ParameterizedTest
        @ValueSource(strings = {"serve --prot 80", "serve --prot=80"})
        void withAnUnknownOptionSuggestsTheNearest(String line) {
            Run run = run(line.split(" "));
            assertTrue(run.err().contains("did you mean \"--port\"?"), run.err());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"version", "--version"})
    void versionNamesSiroccoTheJvmTheSystemAndWhatItAllows(String word) {
        Run run = run(word);
        assertEquals(0, run.exitCode());
        assertTrue(run.out().startsWith("sirocco "), run.out());
        assertTrue(run.out().contains("Java " + Runtime.version()), run.out());
        assertTrue(run.out().contains("), " + System.getProperty("java.home")), run.out());
        assertTrue(run.out().contains(System.getProperty("os.name")), run.out());
        assertTrue(run.out().matches("(?s).* CPUs: [0-9]+\\R.*"), run.out());
        assertTrue(run.out().contains("AOT cache: none"), run.out());
        assertTrue(run.out().matches("(?s).*transport: (io_uring|epoll .*)\\R.*"), run.out());
        assertTrue(run.out().contains("virtual threads: carried by the loops"), run.out());
    }

    /** Linux 6.1 to 6.7, for example. */
    @Test
    void versionTellsWhyTheTransportIsNotIoUring() {
        System.setProperty("io.sirocco.net.missingOperations", "FIXED_FD_INSTALL");
        try {
            String out = run("version").out();
            assertTrue(out.matches("(?s).*transport: epoll \\(io_uring .*6\\.8.*\\)\\R.*"), out);
        } finally {
            System.clearProperty("io.sirocco.net.missingOperations");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--port",
                "--host",
                "--loops",
                "--transport",
                "--idle",
                "DIR",
                "this machine only"
            })
    void helpOfServeNames(String word) {
        Run run = run("help", "serve");
        assertEquals(0, run.exitCode());
        assertTrue(run.out().contains(word), run.out());
    }

    @Test
    void helpExplainsWhatIsBelowBench() {
        assertEquals(run("bench", "http", "--help").out(), run("help", "bench", "http").out());
        assertTrue(run("help", "bench", "http").out().contains("--rate"));
    }

    @Test
    void withoutACommandTheCommandsAreListed() {
        Run run = run();
        assertEquals(0, run.exitCode());
        assertTrue(run.out().contains("serve") && run.out().contains("version"), run.out());
    }

    private record Run(int exitCode, String out, String err) {}

    private static Run run(String... words) {
        String[] args = Main.withHelpLast(words);
        var out = new StringWriter();
        var err = new StringWriter();
        var line = Main.commandLine(args);
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        int exitCode = line.execute(args);
        return new Run(exitCode, out.toString(), err.toString());
    }
}

// SPDX-License-Identifier: Apache-2.0
package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each program of the folder, as the README starts it: it prints an address that responds. */
@Tag("peers")
@Timeout(60)
class ExamplesRunTest {
    private static final Path SOURCES = Path.of("src/main/java/examples");

    /** A folder that has the examples where the programs look for them. */
    @TempDir Path folder;

    static Stream<String> servers() throws IOException {
        try (Stream<Path> files = Files.list(SOURCES)) {
            return files
                    .map(file -> file.getFileName().toString().replace(".java", ""))
                    .filter(
                            name ->
                                    !List.of("package-info", "LiveRush", "UnixSocket", "Hold")
                                            .contains(name))
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    private Process run(String name, String... arguments) throws IOException {
        Files.createSymbolicLink(folder.resolve("examples"), Snippets.TOP.resolve("examples"));
        Files.writeString(folder.resolve("README.md"), "to download");
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                "--enable-native-access=ALL-UNNAMED",
                                "-XX:+UseSerialGC",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "examples." + name));
        command.addAll(List.of(arguments));
        Process program =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectError(folder.resolve("errors").toFile())
                        .start();
        // One that says nothing must not keep the test waiting.
        CompletableFuture.delayedExecutor(30, TimeUnit.SECONDS).execute(program::destroyForcibly);
        return program;
    }

    private String firstLine(Process program) throws IOException {
        BufferedReader out = program.inputReader();
        String line = out.readLine();
        assertNotNull(line, "it ended: " + Files.readString(folder.resolve("errors")));
        return line;
    }

    @ParameterizedTest
    @MethodSource("servers")
    void printsAnAddressThatResponds(String name) throws Exception {
        Process program = run(name, "0");
        try {
            String line = firstLine(program);
            assertTrue(
                    line.matches("(http|https|ws)://(127\\.0\\.0\\.1|localhost):[1-9][0-9]*/\\S*"),
                    line);
            URI address = URI.create(line);
            if (!address.getScheme().equals("http")) {
                new Socket(address.getHost(), address.getPort()).close();
                return;
            }
            try (var http = HttpClient.newHttpClient()) {
                var response =
                        http.send(
                                HttpRequest.newBuilder(address).build(),
                                BodyHandlers.ofInputStream());
                assertTrue(
                        response.statusCode() < 400 || name.equals("ErrorPages"),
                        "status " + response.statusCode() + " of " + line);
                response.body().close();
            }
        } finally {
            program.destroyForcibly().waitFor();
        }
    }

    @Test
    void unixSocket() throws Exception {
        Process program = run("UnixSocket");
        try {
            assertEquals("curl --unix-socket hello.sock http://localhost/", firstLine(program));
            assertTrue(Files.exists(folder.resolve("hello.sock")));
        } finally {
            program.destroyForcibly().waitFor();
        }
    }

    @Test
    void liveRushSaysThatItNeedsTheOtherProgram() throws Exception {
        Process program = run("LiveRush", "1");
        try {
            String line = firstLine(program);
            assertEquals("connecting to http://127.0.0.1:1, where LiveGate.java must run", line);
        } finally {
            program.destroyForcibly().waitFor();
        }
    }

    @Test
    void theReadmeHasTheOneCommandForAll() {
        String readme = Snippets.text(Snippets.TOP.resolve("README.md"));
        String command =
                "-cp 'app/target/run/*:app/target/run/script/*' examples/src/main/java/examples/Chat.java";
        assertTrue(readme.contains(command), "the README has no command for examples");
        String here = Snippets.text(SOURCES.resolve("package-info.java"));
        assertTrue(here.contains("app/target/run/script/*"), "package-info has another command");
    }
}

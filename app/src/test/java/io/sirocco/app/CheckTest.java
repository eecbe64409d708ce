// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckTest {
    @TempDir private Path folder;

    private record Run(int exitCode, String out, String err) {}

    private static Run run(String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        var line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        int code = line.execute(arguments);
        return new Run(code, out.toString(), err.toString());
    }

    @Test
    void theTemplateIsAConfigurationOfUsualValues() throws Exception {
        Run template = run("check", "--template");
        Path file = Files.writeString(folder.resolve("sirocco.toml"), template.out());
        Run checked = run("check", file.toString());
        assertEquals(0, checked.exitCode(), checked.err());
        assertEquals(1, checked.err().lines().filter(it -> it.contains("warning")).count());
        assertTrue(
                checked.err().contains("this site responds to every request with 404"),
                checked.err());
        Path empty = Files.writeString(folder.resolve("empty.toml"), "[[site]]\n");
        assertEquals(run("check", empty.toString()).out(), checked.out());
    }

    @Test
    void whatItPrintsIsAConfigurationThatItPrintsAgain() throws Exception {
        Path file = folder.resolve("a.toml");
        Files.writeString(
                file, "limits.max-body-bytes = \"1GiB\"\n[[site]]\nhosts = [\"a.example\"]\n");
        String printed = run("check", file.toString()).out();
        Path again = Files.writeString(folder.resolve("b.toml"), printed);
        assertEquals(printed, run("check", again.toString()).out());
        assertTrue(printed.contains("max-body-bytes = \"1GiB\""), printed);
    }

    @Test
    void secretsAreHiddenUnlessAskedFor() throws Exception {
        Path file =
                Files.writeString(
                        folder.resolve("a.toml"),
                        """
                        [live]
                        on = true
                        open = true
                        ticket-path = ""
                        broker = "redis://joe:hunter2@10.0.0.1:6379/1"
                        [[site]]
                        headers = { Set-Cookie = "sid=hunter2", X-Other = "shown" }
                        [[site.route]]
                        path = "/*"
                        proxy = { to = "http://10.0.0.1", request-headers = { Authorization = "Bearer hunter2" } }
                        """);
        for (String form : List.of("--json", "--secrets", "")) {
            String[] words = {"check", form, file.toString()};
            Run run = run(Stream.of(words).filter(word -> !word.isEmpty()).toArray(String[]::new));
            assertEquals(0, run.exitCode(), run.err());
            boolean all = form.equals("--secrets");
            assertEquals(all, run.out().contains("hunter2"), run.out());
            assertEquals(!all, run.out().contains("\"redis://***@10.0.0.1:6379/1\""), run.out());
            assertEquals(!all, run.out().contains("\"***\""), run.out());
            assertTrue(run.out().contains("\"shown\""), run.out());
            assertEquals(!all, run.err().contains("--secrets"), run.err());
        }
        String printed = run("check", "--secrets", file.toString()).out();
        Path again = Files.writeString(folder.resolve("b.toml"), printed);
        assertEquals(printed, run("check", "--secrets", again.toString()).out());
    }

    @Test
    void pagesThatDoNotExistAreWarnings() throws Exception {
        Files.createDirectory(folder.resolve("public"));
        Files.writeString(folder.resolve("public/there.html"), "");
        Path file =
                Files.writeString(
                        folder.resolve("a.toml"),
                        """
                        [[site]]
                        root = "public"
                        fallback = "/nope.html"
                        not-found = "/there.html"
                        [[site.route]]
                        path = "/a/*"
                        not-found = "/404.html"
                        """);
        Run run = run("check", file.toString());
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.err().contains(file + ":3:12: warning: "), run.err());
        assertTrue(run.err().contains("public/nope.html does not exist"), run.err());
        assertTrue(run.err().contains(file + ":7:13: warning: "), run.err());
        assertEquals(2, run.err().lines().filter(it -> it.contains("warning")).count(), run.err());
    }

    @Test
    void jsonIsForPrograms() throws Exception {
        Path file =
                Files.writeString(folder.resolve("a.toml"), "limits.max-body-bytes = \"1GiB\"\n");
        String json = run("check", "--json", file.toString()).out();
        assertTrue(json.contains("\"max-body-bytes\": 1073741824,"), json);
        assertTrue(json.contains("\"idle\": 75,"), json);
    }

    @Test
    void mistakesAreToldOnStandardErrorAndExitWith2() throws Exception {
        Path file = Files.writeString(folder.resolve("a.toml"), "\n[[lisen]]\n");
        Run run = run("check", file.toString());
        assertEquals(2, run.exitCode());
        assertEquals("", run.out());
        assertEquals(
                file
                        + """
                        :2:3: error: unknown key "lisen" at the top level
                            2 | [[lisen]]
                              |   ^^^^^
                          did you mean "listen"?
                        """,
                run.err());
    }

    @Test
    void warningsAreToldAndExitWith0() throws Exception {
        Path file = Files.writeString(folder.resolve("a.toml"), "tls.self-signed = true\n");
        Run run = run("check", file.toString());
        assertEquals(0, run.exitCode());
        assertTrue(run.err().startsWith(file + ":1:19: warning: "), run.err());
        assertTrue(run.out().contains("self-signed = true"), run.out());
    }

    @Test
    void aFileThatIsMissingExitsWith2() {
        Run run = run("check", folder.resolve("none.toml").toString());
        assertEquals(2, run.exitCode());
        assertTrue(run.err().contains("the file does not exist"), run.err());
    }
}

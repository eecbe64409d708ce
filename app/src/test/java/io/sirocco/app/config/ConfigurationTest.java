// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationTest {

    @Test
    void saysWhereAnOptionStands() {
        Configuration configuration =
                Read.valid(
                        """
                        [server]
                        loops = 2

                        [[listen]]
                        address = ":80"
                        [[listen]]
                          address = ":81"
                        """);
        assertEquals("test.toml:2:9", configuration.where("server", "loops").toString());
        assertEquals("test.toml:5:11", configuration.where("listen", 0, "address").toString());
        assertEquals("test.toml:7:13", configuration.where("listen", 1, "address").toString());
        assertEquals("test.toml:6:3", configuration.where("listen", 1, "backlog").toString());
        assertEquals("test.toml:1:2", configuration.where("server", "name").toString());
        assertEquals("test.toml", configuration.where("limits", "max-body-bytes").toString());
        assertEquals("test.toml:7:13", configuration.where("listen", 1, "address", 4).toString());
    }

    @Test
    void anErrorThatShowsLaterHasTheFormOfAllOthers() throws Exception {
        Configuration file = Read.valid("[[listen]]\naddress = \":80\"\n");
        assertEquals(
                """
                test.toml:2:11: error: the port is in use
                    2 | address = ":80"
                      |           ^^^^^
                  try another one
                """,
                file.problem("the port is in use", "try another one", "listen", 0, "address")
                        .toString());
        assertEquals(
                "command line: error: the port is in use\n",
                Configuration.of(Overrides.NONE)
                        .problem("the port is in use", "", "listen", 0, "address")
                        .toString());
    }

    @Test
    void namesTheFilesThatItIsMadeOf(@TempDir Path folder) throws Exception {
        for (String name : List.of("users", "token")) Files.createFile(folder.resolve(name));
        Path file =
                Files.writeString(
                        folder.resolve("a.toml"),
                        """
                        [admin]
                        address = "127.0.0.1:0"
                        token-file = "token"
                        [[site]]
                        basic-auth = { users-file = "users" }
                        [[site.route]]
                        path = "/a"
                        """);
        assertEquals(
                Set.of(file, folder.resolve("users"), folder.resolve("token")),
                Configuration.load(file, Overrides.NONE).files());
    }

    @Test
    void saysWhatNeedsANewStart() {
        Configuration old = Read.valid("[server]\nloops = 1\n");
        Configuration next = Read.valid("[server]\nloops = 2\nname = \"x\"\ntransport = \"nio\"\n");
        assertEquals(List.of("server.loops", "server.transport"), old.needsStart(next));
        assertEquals(List.of(), next.needsStart(next));
        Configuration backlog = Read.valid("[[listen]]\nbacklog = 1\n");
        assertEquals(List.of("backlog of 127.0.0.1:8080"), Read.valid("").needsStart(backlog));
    }

    @Test
    void aFileThatIsMissingOrNoFileIsExplained(@TempDir Path folder) {
        Path missing = folder.resolve("sirocco.toml");
        assertEquals(
                missing
                        + ": error: the file does not exist\n"
                        + "  \"sirocco check --template\" prints a template\n",
                failure(missing));
        assertTrue(failure(folder).contains("is a directory"), failure(folder));
    }

    @Test
    void oneMebibyteIsReadAndMoreIsNot(@TempDir Path folder) throws Exception {
        var text = new StringBuilder("[server]\nloops = 2\n");
        while (text.length() < Source.MAX_BYTES - 100)
            text.append("# ").append("x".repeat(70)).append('\n');
        text.append("#".repeat(Source.MAX_BYTES - text.length()));
        Path file = Files.writeString(folder.resolve("large.toml"), text);
        assertEquals(2, Configuration.load(file, Overrides.NONE).server().loops());
        Files.writeString(file, text.append("#"));
        assertTrue(failure(file).contains("larger than 1 MiB"), failure(file));
    }

    /** A file of mistakes costs no more than a look at each. */
    @Test
    void asManyMistakesAsFitAreBounded(@TempDir Path folder) throws Exception {
        var text = new StringBuilder();
        for (int i = 0; text.length() < Source.MAX_BYTES - 20; i++) text.append("x" + i + "=1\n");
        Path file = Files.writeString(folder.resolve("large.toml"), text);
        var invalid =
                assertThrows(
                        InvalidConfiguration.class, () -> Configuration.load(file, Overrides.NONE));
        assertEquals(Report.MAX, invalid.problems().size());
        long keys = text.chars().filter(c -> c == '\n').count();
        assertTrue(invalid.getMessage().endsWith("... and " + (keys - Report.MAX) + " more\n"));
    }

    /** It would cost a third of the time in which the program has to start. */
    @Test
    void withoutAFileNoReaderOfTomlIsLoaded() throws Exception {
        var urls = new ArrayList<URL>();
        for (String entry :
                System.getProperty("java.class.path").split(System.getProperty("path.separator"))) {
            if (!entry.contains("jackson") && !entry.contains("jtoml"))
                urls.add(Path.of(entry).toUri().toURL());
        }
        try (var loader =
                new URLClassLoader(
                        urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Class<?> overrides = loader.loadClass(Overrides.class.getName());
            Class<?> configuration = loader.loadClass(Configuration.class.getName());
            Object made =
                    configuration
                            .getMethod("of", overrides)
                            .invoke(null, overrides.getField("NONE").get(null));
            assertEquals("command line", made.toString());
            assertThrows(
                    ClassNotFoundException.class,
                    () -> loader.loadClass("tools.jackson.core.JsonParser"));
            assertThrows(
                    ClassNotFoundException.class,
                    () -> loader.loadClass("io.github.wasabithumb.jtoml.io.TableReader"));
        }
    }

    private static String failure(Path file) {
        return assertThrows(
                        InvalidConfiguration.class, () -> Configuration.load(file, Overrides.NONE))
                .getMessage();
    }
}

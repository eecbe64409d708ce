// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Child;
import io.sirocco.app.Client;
import io.sirocco.app.Client.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program as it is started: with a directory, with a file, and with both. */
@Tag("peers")
@Timeout(60)
class CommandLineOverFileTest {
    @TempDir Path folder;

    @BeforeEach
    void make() throws Exception {
        for (String site : new String[] {"one", "two"}) {
            Files.createDirectory(folder.resolve(site));
            Files.writeString(folder.resolve(site).resolve("page"), site);
        }
    }

    private String file(String toml) throws Exception {
        return Files.writeString(folder.resolve("sirocco.toml"), toml).toString();
    }

    private String directory(String name) {
        return folder.resolve(name).toString();
    }

    @Test
    void aDirectoryIsServed() throws Exception {
        try (var child = new Child("serve", "--port", "0", directory("one"))) {
            assertEquals("one", Client.get(child.port(), "/page").body());
        }
    }

    @Test
    void nothingAndHelpPrintTheUsage() throws Exception {
        for (String[] arguments : new String[][] {{}, {"help"}, {"help", "serve"}}) {
            try (var child = new Child(arguments)) {
                String out = child.out();
                assertTrue(out.contains("Usage: sirocco"), out);
                assertEquals(0, child.exitCode());
            }
        }
    }

    @Test
    void theCommandLineIsLaidOverTheFile() throws Exception {
        String toml =
                """
                [server]
                name = "FromTheFile"
                [[listen]]
                address = "127.0.0.1:1"
                [[site]]
                root = "one"
                headers = { "X-Of" = "the file" }
                """;
        try (var child =
                new Child("serve", "--config", file(toml), "--port", "0", directory("two"))) {
            Answer answer = Client.get(child.port(), "/page");
            assertEquals("two", answer.body());
            assertEquals("the file", answer.field("X-Of"));
            assertEquals("FromTheFile", answer.field("Server"));
            child.signal("TERM");
            assertEquals(0, child.exitCode());
            String said = child.err();
            assertTrue(said.endsWith("INFO stopped\n"), said);
            assertEquals(1, said.lines().count(), said);
        }
    }

    @Test
    void whatOfTheFileIsIgnoredIsReported() throws Exception {
        String toml =
                """
                [[listen]]
                address = "127.0.0.1:1"
                [[listen]]
                address = "127.0.0.1:2"
                [[site]]
                root = "one"
                """;
        try (var child = new Child("serve", "--config", file(toml), "--port", "0")) {
            assertEquals("one", Client.get(child.port(), "/page").body());
            child.signal("TERM");
            assertEquals(0, child.exitCode());
            String said = child.err();
            assertTrue(said.contains("warning:") && said.contains("listen"), said);
        }
    }

    @Test
    void whatItAllComesToIsPrintedByCheck() throws Exception {
        String file = file("[timeouts]\nidle = \"3s\"\n[[site]]\nroot = \"one\"\n");
        try (var child = new Child("check", file)) {
            String out = child.out();
            assertEquals(0, child.exitCode());
            assertTrue(out.contains("idle = \"3s\""), out);
            assertTrue(out.contains("root = \"" + directory("one") + "\""), out);
        }
    }
}

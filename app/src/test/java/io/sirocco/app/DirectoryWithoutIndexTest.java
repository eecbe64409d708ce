// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sirocco serve DIR}, where DIR has no index page. */
class DirectoryWithoutIndexTest {
    @TempDir Path folder;

    private Source source(String... more) throws Exception {
        Files.writeString(folder.resolve("notes.txt"), "notes");
        Files.createDirectories(folder.resolve("inner"));
        var words = new ArrayList<>(List.of("serve", "--port", "0", "--loops", "1"));
        words.addAll(List.of(more));
        words.add(folder.toString());
        String[] all = words.toArray(String[]::new);
        var serve = Main.commandLine(all).parseArgs(all).subcommand().commandSpec();
        return ((Serve) serve.userObject()).source();
    }

    @Test
    void thePageSaysWhatToDo() throws Exception {
        try (Serving serving = Serving.open(source())) {
            for (String path : new String[] {"/", "/inner/", "/nope/"}) {
                Answer answer = Client.get(serving.port(), path);
                assertEquals(404, answer.status());
                assertTrue(
                        answer.body().contains("there is no index.html at this path"),
                        answer.body());
                assertTrue(answer.body().contains("--listing"), answer.body());
            }
            assertEquals("notes", Client.get(serving.port(), "/notes.txt").body());
            assertEquals("Not Found", Client.get(serving.port(), "/other").body());
            Files.writeString(folder.resolve("index.html"), "home");
        }
        try (Serving serving = Serving.open(source())) {
            assertEquals("home", Client.get(serving.port(), "/").body());
        }
    }

    @Test
    void theOptionListsItsFiles() throws Exception {
        try (Serving serving = Serving.open(source("--listing"))) {
            Answer answer = Client.get(serving.port(), "/");
            assertEquals(200, answer.status());
            assertTrue(answer.body().contains("notes.txt"), answer.body());
            assertFalse(answer.body().contains("--listing"), answer.body());
        }
    }
}

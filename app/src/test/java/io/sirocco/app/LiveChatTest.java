// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import examples.LiveChat;
import io.sirocco.http.Server;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** examples/live-chat: two browsers with the official client of npm talk to each other. */
@Tag("peers")
class LiveChatTest {
    private static final Path SOURCE = Path.of("../examples/live-chat");
    private static final Path FOLDER = Path.of("target/live-chat").toAbsolutePath();

    private static Server server;

    @BeforeAll
    static void serve() throws Exception {
        for (String name : List.of("package.json", "package-lock.json", "bundle.sh")) {
            copy(name);
        }
        for (File page : SOURCE.resolve("page").toFile().listFiles()) {
            copy("page/" + page.getName());
        }
        if (!Files.exists(FOLDER.resolve("page/socket.io.js"))) {
            assumeTrue(runs("node", "--version"), "needs node (Debian: nodejs)");
            assumeTrue(runs("npm", "--version"), "needs npm (Debian: npm)");
            assumeTrue(runs("bash", "bundle.sh"), "needs a registry of npm");
        }
        server = LiveChat.start(0, FOLDER.resolve("page"));
    }

    private static void copy(String name) throws IOException {
        Path target = FOLDER.resolve(name);
        Files.createDirectories(target.getParent());
        Files.write(target, Files.readAllBytes(SOURCE.resolve(name)));
    }

    private static boolean runs(String... command) throws Exception {
        try {
            Process process =
                    new ProcessBuilder(command)
                            .directory(FOLDER.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            boolean ended = process.waitFor(120, TimeUnit.SECONDS);
            process.destroyForcibly();
            return ended && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.stop(Duration.ofSeconds(1));
        }
    }

    private static Browser enter(String name, int width, String scheme) throws Exception {
        var browser = new Browser();
        browser.screen(width, width < 600 ? 844 : 800, scheme);
        browser.open("http://127.0.0.1:" + server.port() + "/");
        browser.until("!document.getElementById('come-in').disabled");
        browser.value("document.getElementById('name').value = '" + name + "'");
        browser.value("document.getElementById('come-in').click()");
        browser.until("document.getElementById('state').dataset.state === 'connected'");
        browser.until(says("messages", "You are in lobby."));
        return browser;
    }

    private static String says(String id, String text) {
        return "document.getElementById('%s').innerText.includes('%s')".formatted(id, text);
    }

    private static void say(Browser browser, String text) throws Exception {
        browser.value("document.getElementById('text').value = '" + text + "'");
        browser.value("document.querySelector('#say button').click()");
    }

    @Test
    void twoTalkAndOneComesBackWithWhatTheyMissed() throws Exception {
        try (Browser ada = enter("Ada", 1280, "light");
                Browser ben = enter("Ben", 390, "dark")) {
            ada.until(says("here", "Ben"));
            ben.until(says("here", "Ada"));
            say(ada, "Is anybody at the window? <b>Look!</b>");
            ben.until(says("messages", "<b>Look!</b>"));
            say(ben, "What is it?");
            ada.until(says("messages", "What is it?"));
            ben.value("document.getElementById('cut').click()");
            ben.until("document.getElementById('state').dataset.state === 'away'");
            say(ada, "A balloon, above the harbour.");
            say(ada, "It is gone now.");
            ada.until(says("messages", "It is gone now."));
            ben.until(says("messages", "It is gone now."));
            ben.until(says("messages", "the session was recovered"));
            ben.until("document.querySelectorAll('.said').length === 4"); // each of them once
            ben.until("document.getElementById('state').dataset.state === 'connected'");
            ada.until(says("here", "Ben"));
            ada.shown("chat-1280-light");
            ben.shown("chat-390-dark");
            assertEquals(390, ben.value("document.documentElement.scrollWidth").asInt());
            assertEquals(List.of(), ada.complaints());
            assertEquals(List.of(), ben.complaints());
        }
    }

    @Test
    void whoEntersAnotherRoomReadsWhatWasSaidThere() throws Exception {
        try (Browser ada = enter("Cleo", 1280, "dark");
                Browser ben = enter("Dev", 390, "light")) {
            ada.value("document.querySelectorAll('#rooms button')[1].click()");
            ada.until(says("messages", "You are in kitchen."));
            say(ada, "There is tea.");
            ada.until(says("messages", "There is tea."));
            ben.until("!" + says("here", "Cleo"));
            ben.until("!" + says("messages", "There is tea."));
            ben.value("document.querySelectorAll('#rooms button')[1].click()");
            ben.until(says("messages", "There is tea."));
            ada.until(says("here", "Dev"));
            ada.shown("chat-1280-dark");
            ben.shown("chat-390-light");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.app.Browser;
import io.sirocco.app.Running;
import io.sirocco.app.Talker;
import io.sirocco.net.TransportKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console of event channels, and the page to try them out, in a real browser. */
@Tag("peers")
class ConsoleTest {
    private static final String SERVER =
            """
            [[listen]]
            address = "127.0.0.1:0"
            [admin]
            address = "127.0.0.1:0"
            %s
            [live]
            on = true
            password-file = "password"
            """;
    private static final String AUTH = "{\"password\":\"secret\",\"tags\":{\"name\":\"Ada\"}}";

    @TempDir private Path folder;

    private Running serve(String admin) throws Exception {
        Files.writeString(folder.resolve("password"), "secret");
        return Running.of(folder, TransportKind.NIO, SERVER.formatted(admin));
    }

    private static String console(Running running) {
        return "http://localhost:" + running.adminPort() + "/live";
    }

    private static String says(String id, String text) {
        return "document.getElementById('%s').innerText.includes('%s')".formatted(id, text);
    }

    private static String press(String selector) {
        return "document.querySelector('" + selector + "').click()";
    }

    @Test
    void clientsRoomsAndRatesAreShown() throws Exception {
        try (Running running = serve("");
                var browser = new Browser()) {
            browser.open(console(running));
            browser.until(says("client-rows", "No clients."));
            try (Talker ada = Talker.in(running.port(), AUTH).join("<b>kitchen</b>")) {
                browser.until(says("client-rows", "<b>kitchen</b>"));
                browser.until(says("client-rows", "name: Ada"));
                browser.until(says("room-rows", "<b>kitchen</b>"));
                browser.until(says("clients", "1"));
                browser.until("parseInt(document.getElementById('in').textContent) >= 0");
                browser.until(
                        "[...document.querySelectorAll('.chart .plot path[d^=M]')].length >= 6");
                assertEquals("437[1]", ada.ask("[\"echo\",1]"));
                browser.until(says("facts", "Connected"));
            }
            browser.until(says("client-rows", "No clients."));
            browser.until(says("facts", "Disconnected, connection lost"));
            assertEquals(List.of(), browser.complaints());
        }
    }

    @Test
    void aSearchFindsAClientByItsRoom() throws Exception {
        try (Running running = serve("");
                var browser = new Browser();
                Talker ada = Talker.in(running.port(), AUTH).join("kitchen");
                Talker ben = Talker.in(running.port(), AUTH).join("hall")) {
            browser.open(console(running));
            browser.until(says("clients-of", "2"));
            browser.value(
                    "[...document.querySelectorAll('button.room')].find(b => b.textContent === 'hall').click()");
            browser.until(says("clients-of", "1 found"));
            browser.until("!" + says("client-rows", "kitchen"));
            assertEquals("437[1]", ben.ask("[\"echo\",1]"));
            assertEquals("", browser.value(covered("#client-rows button.quiet")).asString());
            assertEquals("437[1]", ada.ask("[\"echo\",1]"));
        }
    }

    /** What a finger would hit in place of this element at the lower end of the screen, or "". */
    private static String covered(String selector) {
        return """
               (() => {
                   const wanted = document.querySelector('%s');
                   wanted.scrollIntoView({ block: 'end', inline: 'start' });
                   document.scrollingElement.scrollLeft = 0;
                   for (const each of document.querySelectorAll('.scroll')) each.scrollLeft = 0;
                   const box = wanted.getBoundingClientRect();
                   const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
                   return hit === wanted ? '' : String(hit?.outerHTML);
               })()"""
                .formatted(selector);
    }

    @Test
    void anOperatorPublishesAndSendsAway() throws Exception {
        try (Running running = serve("");
                var browser = new Browser();
                Talker ada = Talker.in(running.port(), AUTH).join("kitchen")) {
            browser.open(console(running));
            browser.until(says("client-rows", "kitchen"));
            browser.value("document.getElementById('room').value = 'kitchen'");
            browser.value("document.getElementById('arguments').value = '\"hi\", {\"n\": 1}'");
            browser.value(press("#publish button"));
            assertEquals("42[\"message\",\"hi\",{\"n\":1}]", ada.next());
            browser.until(says("published", "Published at"));
            browser.value("document.getElementById('arguments').value = 'hi'");
            browser.value(press("#publish button"));
            browser.until(says("published", "not valid JSON"));
            browser.value(press("#client-rows button.quiet"));
            assertEquals("42[\"sirocco:closed\",{", ada.next().substring(0, 21));
            browser.until(says("client-rows", "No clients."));
            assertEquals(List.of(), browser.complaints());
        }
    }

    @Test
    void itAsksForTheTokenAndTheDashboardLeadsToIt() throws Exception {
        Files.writeString(folder.resolve("token"), "0123456789abcdef");
        try (Running running = serve("token-file = \"token\"");
                var browser = new Browser()) {
            browser.open(console(running));
            browser.until("document.body.innerText.includes('This page needs a token.')");
            browser.open(console(running) + "?token=0123456789abcdef");
            browser.until(says("client-rows", "No clients."));
            assertEquals(console(running), browser.value("location.href").asString());
            browser.value(press("nav a"));
            browser.until("!document.getElementById('channels').hidden");
            browser.screen(390, 844, "light");
            browser.shown("dashboard-390-light");
            browser.value(press("#nav a:last-child"));
            browser.until(says("client-rows", "No clients."));
        }
    }

    @Test
    void itFitsAPhone() throws Exception {
        try (Running running = serve("");
                var browser = new Browser();
                Talker ada =
                        Talker.in(running.port(), AUTH).join("a-room-with-a-long-name-indeed")) {
            browser.screen(390, 844, "light");
            browser.open(console(running));
            browser.until(says("client-rows", "a-room-with-a-long-name-indeed"));
            assertEquals(390, browser.value("document.documentElement.scrollWidth").asInt());
            assertEquals("437[1]", ada.ask("[\"echo\",1]"));
        }
    }

    @Test
    void aVisitorTriesTheChannelsOut() throws Exception {
        try (Running running = serve("");
                var browser = new Browser();
                Talker ada = Talker.in(running.port(), AUTH).join("kitchen")) {
            browser.screen(390, 844, "dark");
            browser.open("http://127.0.0.1:" + running.port() + "/");
            browser.until("!document.getElementById('connect-button').disabled");
            browser.value(press("#connect button"));
            browser.until(says("log", "refused"));
            browser.until("document.getElementById('state').dataset.state === 'apart'");
            browser.value("document.getElementById('password').value = 'secret'");
            browser.value(press("#connect button"));
            browser.until("document.getElementById('state').dataset.state === 'connected'");
            browser.value(press("#join button"));
            browser.until(says("rooms", "kitchen"));
            browser.value(press("#publish button"));
            assertEquals("42[\"smell\",\"toast\",{\"burnt\":false}]", ada.next());
            ada.send("42[\"publish\",\"kitchen\",\"hot\",\"<b>tea</b>\"]");
            browser.until(says("log", "<b>tea</b>"));
            browser.value(press("#request button"));
            browser.until(says("log", "response to echo"));
            browser.until(says("log", "1, \"two\", [3]"));
            browser.shown("try-390-dark");
            browser.screen(1280, 800, "light");
            browser.shown("try-1280-light");
            browser.screen(390, 844, "dark");
            assertEquals(390, browser.value("document.documentElement.scrollWidth").asInt());
            assertEquals("", browser.value(covered("#publish button")).asString());
            assertEquals(List.of(), browser.complaints());
        }
    }
}

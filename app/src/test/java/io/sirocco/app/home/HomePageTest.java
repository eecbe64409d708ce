// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Browser;
import io.sirocco.testkit.FreePort;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page of a controller: its HTTP API, its guard, and the page in a real browser. */
@Timeout(120)
class HomePageTest {
    @TempDir private Path folder;

    @Test
    void aLampIsSetAndABlindIsMoved() throws Exception {
        try (var home = new RunningHome(folder)) {
            assertEquals("0", home.script("HallLamp:get(0)"));
            assertEquals(
                    200,
                    home.post("/home/set", "{\"object\":\"HallLamp\",\"feature\":0,\"value\":0.5}")
                            .statusCode());
            assertEquals("0.5", home.script("HallLamp:get(0)"));
            assertEquals(
                    200,
                    home.post(
                                    "/home/execute",
                                    "{\"object\":\"BedroomBlind\",\"method\":10,\"arguments\":[95]}")
                            .statusCode());
            while (!home.script("BedroomBlind:get(1)").equals("95")) {
                LockSupport.parkNanos(200_000);
            }
        }
    }

    /** A service writes its output to a journal, which others may read. */
    @Test
    void thePinIsInAFileOfTheOwnerAndNotInTheOutput() throws Exception {
        try (var home = new RunningHome(folder)) {
            assertEquals(8, home.pin.length());
            assertFalse(home.firstLine.contains(home.pin), home.firstLine);
            assertTrue(home.get("/home/pin").body().contains(home.pin));
            assertEquals(
                    PosixFilePermissions.fromString("rw-------"),
                    Files.getPosixFilePermissions(folder.resolve("pin.txt")));
        }
    }

    @Test
    void idleConnectionsKeepNoOtherOut() throws Exception {
        idleConnections(false);
    }

    @Tag("heavy")
    @Test
    void idleConnectionsAreClosedAfterFiveSeconds() throws Exception {
        idleConnections(true);
    }

    private void idleConnections(boolean untilClosed) throws Exception {
        var idle = new ArrayList<Socket>();
        try (var home = new RunningHome(folder)) {
            int port = URI.create(home.url("/")).getPort();
            for (int i = 0; i < 200; i++) {
                idle.add(new Socket(InetAddress.getLoopbackAddress(), port));
            }
            assertEquals("2", home.script("1 + 1"));
            if (untilClosed) {
                assertEquals(-1, idle.getFirst().getInputStream().read());
            }
        } finally {
            for (Socket each : idle) {
                each.close();
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "1 + 1                    | 2",
                "'a' .. 1                 | \"a1\"",
                "nil                      | nil",
                "x = 3 return x           | 3",
                "{a = 1}                  | {a=1}",
                "x = 3                    | nil",
                "(function() return 1 end)() -- comment | 1",
            })
    void theConsoleRunsExpressionsAndStatements(String script, String value) throws Exception {
        try (var home = new RunningHome(folder)) {
            assertEquals(value, home.script(script));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "script  | {\"script\":\"error('no')\"}      | 422 | no",
                "script  | {\"script\":\"a b\"}              | 422 | console:1",
                "script  | {\"script\":\"Nothing:get(1)\"}   | 422 | attempt to index",
                "script  | {\"script\":\" \"}                | 400 | 1 to 8000 characters",
                "script  | {}                                | 400 | 1 to 8000 characters",
                "script  | {\"scripts\":\"1\"}               | 400 | unknown key",
                "script  | 1 + 1                             | 400 | not valid JSON",
                "set     | {\"object\":\"HallLamp\",\"feature\":0}                    | 400 | value",
                "set     | {\"object\":\"x:y() --\",\"feature\":0,\"value\":1}        | 400 | name of an object",
                "set     | {\"object\":\"HallLamp\",\"feature\":-1,\"value\":1}       | 400 | feature",
                "set     | {\"object\":\"HallLamp\",\"feature\":0,\"value\":[1]}      | 400 | a value must be",
                "execute | {\"object\":\"BedroomBlind\"}                              | 400 | method",
                "execute | {\"object\":\"BedroomBlind\",\"method\":10,\"arguments\":[101]} | 422 | 0 to 100",
            })
    void aWrongRequestIsExplained(String path, String body, int status, String message)
            throws Exception {
        try (var home = new RunningHome(folder)) {
            var response = home.post("/home/" + path, body);
            assertEquals(status, response.statusCode(), response.body());
            assertTrue(response.body().contains(message), response.body());
        }
    }

    @Test
    void aStringCannotEscapeFromItsLiteral() throws Exception {
        try (var home = new RunningHome(folder)) {
            String text = "\\\"..error('out')..\\\"\\\\\\u0000\\nä";
            var response =
                    home.post(
                            "/home/set",
                            "{\"object\":\"HallLamp\",\"feature\":9,\"value\":\"" + text + "\"}");
            assertEquals(200, response.statusCode(), response.body());
            assertEquals(
                    "true",
                    home.script(
                            "HallLamp:get(9) == '\"..error(\\'out\\')..\"\\\\\\0\\n\\195\\164'"));
        }
    }

    @Test
    void otherSitesRunNoScripts() throws Exception {
        try (var home = new RunningHome(folder)) {
            String body = "{\"script\":\"HallLamp:set(0, 7)\"}";
            assertEquals(
                    403,
                    home.post("/home/script", body, "Origin", "http://evil.example").statusCode());
            assertEquals(
                    403,
                    home.post("/home/script", body, "Sec-Fetch-Site", "cross-site").statusCode());
            assertEquals(415, home.postForm("/home/script", body).statusCode());
            assertEquals(403, statusWithHost(home, "rebound.example"));
            assertEquals("0", home.script("HallLamp:get(0)"));
        }
    }

    private static int statusWithHost(RunningHome home, String host) throws Exception {
        try (var socket = new Socket("127.0.0.1", URI.create(home.url("/")).getPort())) {
            String request =
                    "GET /home/pin HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            String response = new String(socket.getInputStream().readAllBytes(), US_ASCII);
            assertFalse(response.contains("\"pin\""), response);
            return Integer.parseInt(response.split(" ")[1]);
        }
    }

    @Test
    void aTokenIsRequiredIfThereIsOne() throws Exception {
        Path token = folder.resolve("token");
        Files.writeString(token, "0123456789abcdef");
        try (var home = new RunningHome(folder, "--admin-token", token.toString())) {
            assertEquals(401, home.get("/home").statusCode());
            assertEquals(401, home.get("/home/pin").statusCode());
            assertEquals(401, home.post("/home/reset", "{}").statusCode());
            assertEquals(
                    200,
                    home.post("/home/reset", "{}", "Authorization", "Bearer 0123456789abcdef")
                            .statusCode());
        }
    }

    @Tag("peers")
    @Test
    void thePageShowsAndSwitches() throws Exception {
        try (var home = new RunningHome(folder);
                var browser = new Browser()) {
            browser.screen(1280, 800, "light");
            browser.open(home.url("/"));
            browser.until("document.getElementById('state').textContent === 'running'");
            browser.until(card("KitchenLamp", "[aria-checked=true]"));
            browser.value(card("HallLamp", "[role=switch]") + ".click()");
            browser.until(card("HallLamp", "[aria-checked=true]"));
            assertEquals("1", home.script("HallLamp:get(0)"));
            home.script("GardenLamp:set(0, 1)");
            browser.until(card("GardenLamp", "[aria-checked=true]"));
            browser.value(card("BedroomBlind", "[aria-label$=Close]") + ".click()");
            browser.until(card("BedroomBlind", ".reading") + ".textContent !== '100 %'");
            browser.until("document.getElementById('log').innerText.includes('moves to 0 %')");
            assertFalse(browser.text().contains(home.pin));
            browser.value("document.getElementById('show-pin').click()");
            browser.until("document.body.innerText.includes('" + home.pin + "')");
            browser.value("document.getElementById('show-pin').click()");
            browser.value(
                    "document.getElementById('script').value = 'log(\"<b>hi</b>\") return 6 * 7'");
            browser.value("document.getElementById('console').requestSubmit()");
            browser.until("document.getElementById('value').textContent === '42'");
            browser.until("document.getElementById('log').innerText.includes('<b>hi</b>')");
            browser.shown("home");
            try (var attacker = new DatagramSocket()) {
                InetAddress to = InetAddress.getLoopbackAddress();
                attacker.send(new DatagramPacket(new byte[3], 3, to, home.udpPort()));
            }
            browser.until("document.body.innerText.includes('1 requests refused')");
            browser.screen(390, 844, "light");
            browser.until("document.documentElement.scrollWidth <= 390");
            browser.shown("home-phone");
            browser.value("document.getElementById('reset').click()");
            browser.until(card("HallLamp", "[aria-checked=false]"));
            assertEquals(List.of(), browser.complaints());
        }
    }

    @Tag("peers")
    @Test
    void thePageShowsClientsAndTheConnectionToTheBroker() throws Exception {
        int closed = FreePort.tcp();
        try (var home = new RunningHome(folder, "--mqtt", "tcp://127.0.0.1:" + closed);
                var browser = new Browser()) {
            browser.open(home.url("/"));
            browser.until("document.getElementById('mqtt').textContent === 'connecting'");
            browser.until(
                    "document.getElementById('mqtt-facts').textContent.startsWith('127.0.0.1:%d, 8 in Home Assistant')"
                            .formatted(closed));
            browser.until("document.getElementById('mqtt-problem').textContent !== ''");
            browser.until("document.body.innerText.includes('No client receives values.')");
            home.script("SYSTEM:clientRegister('127.0.0.1', 4344, 7, {{KitchenLamp,0},{Clock,0}})");
            browser.until(
                    "document.getElementById('clients').innerText.includes('127.0.0.1:4344')");
            browser.until(
                    "document.getElementById('clients').innerText.includes('id 7, 2 features')");
            browser.value(card("Heating", "[role=switch]") + ".click()");
            browser.until(card("Heating", "[aria-checked=false]"));
            assertEquals("0", home.script("Heating:get(2)"));
            assertEquals(List.of(), browser.complaints());
        }
    }

    private static String card(String object, String selector) {
        return "[...document.querySelectorAll('.object')].find(o => o.querySelector('h3').firstChild.data === '%s').querySelector('%s')"
                .formatted(object, selector);
    }
}

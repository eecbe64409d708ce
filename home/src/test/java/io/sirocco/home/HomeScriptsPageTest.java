// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static io.sirocco.home.mqtt.Mosquitto.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.mqtt.Mosquitto;
import io.sirocco.home.schedule.Zones;
import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The scripts in docs/home-scripts.md work as they are, and its tables are the interface files. */
class HomeScriptsPageTest {
    private static final Path PAGE = Path.of("..", "docs", "home-scripts.md");
    private static final Path INTERFACES = Path.of("src/main/resources/io/sirocco/home/interfaces");
    private static final Pattern SCRIPT = Pattern.compile("(?ms)^```lua\n(.*?)^```$");
    private static final Pattern CLASS = Pattern.compile("### Class (\\d+): (.*)");
    private static final Pattern ROW =
            Pattern.compile(
                    "\\| (feature|method|event) (\\d+) \\| `(\\w+)(?:\\((.*?)\\))?` \\|([^|]*)\\|.*\\|");
    private static final Pattern ZONE = Pattern.compile("\\| (\\d+) \\| ([\\w/]+) ");
    private static final Pattern HELLO =
            Pattern.compile("\\{\"count\":(\\d+),\"path\":\"/hello\"}");

    /** The scripts of the page, in its order. */
    private static final int FIRST = 0;

    private static final int SCHEDULES = 1;
    private static final int ONE = 2;
    private static final int TWO = 3;
    private static final int REQUEST = 4;

    @TempDir Path directory;

    private static String page() {
        try {
            return Files.readString(PAGE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String script(int index) {
        List<String> all = SCRIPT.matcher(page()).results().map(result -> result.group(1)).toList();
        assertEquals(REQUEST + 1, all.size());
        return all.get(index);
    }

    /** Replaces a text that must occur once. */
    private static String replaced(String script, String old, String with) {
        assertEquals(2, script.split(Pattern.quote(old), -1).length, old);
        return script.replace(old, with);
    }

    private static String execute(CluClient client, String script) {
        return client.execute(script).orTimeout(30, TimeUnit.SECONDS).join();
    }

    // ---- scripts

    @Tag("peers")
    @Test
    void theFirstScriptCountsAndStoresAndServesAndPublishes() throws Exception {
        try (Mosquitto broker = Mosquitto.start();
                CluRig rig = new CluRig(directory, first(broker), settings -> {});
                CluClient client = rig.client()) {
            Mosquitto.Capture messages = broker.capture("house/count");
            await("two messages", () -> messages.payloads("house/count").size() >= 2);
            List<String> counts = messages.payloads("house/count");
            int count = Integer.parseInt(counts.get(0).replaceAll("\\{\"count\":(\\d+)}", "$1"));
            assertEquals("{\"count\":" + (count + 1) + "}", counts.get(1));
            assertTrue(hello(client) >= count + 1);

            await("MQTT", () -> execute(client, "CLU:get(22)").equals("true"));
            broker.publish("house/set", "1000000");
            await("the new count", () -> hello(client) >= 1_000_000);
            client.reset().get(30, TimeUnit.SECONDS);
            assertTrue(hello(client) >= 1_000_000, "the count is stored");
            assertTrue(
                    Files.readString(directory.resolve("storage/storage.json"))
                            .contains("\"count\":"));
        }
    }

    @Tag("peers")
    @Test
    void theFirstScriptSendsARequest() throws Exception {
        try (Mosquitto broker = Mosquitto.start();
                CluRig rig =
                        new CluRig(
                                directory,
                                replaced(
                                        first(broker),
                                        "function checkAlive",
                                        script(REQUEST) + "function checkAlive"),
                                settings -> {});
                CluClient client = rig.client()) {
            execute(client, "Ask:set(0, 'http://127.0.0.1:" + webPort(client) + "')");
            execute(client, "Web:add_event(0, function() body = Web:get(5) end)");
            execute(client, "Ask:execute(0)");
            await("the response", () -> logged(rig).contains("the path is /lamps"));
            assertEquals("2", execute(client, "Ask:get(6)"));
            assertEquals("true", execute(client, "body.dimmer == null"));
            assertEquals("20", execute(client, "body.levels[2]"));
            assertEquals("hall", execute(client, "body.lamp"));
        }
    }

    private static String first(Mosquitto broker) {
        String script =
                replaced(script(FIRST), "tcp://127.0.0.1:1883", "tcp://127.0.0.1:" + broker.port);
        return replaced(script, "Web:set(10, 8099)", "Web:set(10, 0)");
    }

    private static String webPort(CluClient client) {
        await("the port", () -> execute(client, "Web:get(12)").equals("1"));
        return execute(client, "Web:get(10)");
    }

    /** Returns the count of an HTTP response. */
    private static int hello(CluClient client) {
        URI url = URI.create("http://127.0.0.1:" + webPort(client) + "/hello");
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<String> response =
                    http.send(
                            HttpRequest.newBuilder(url).build(),
                            HttpResponse.BodyHandlers.ofString());
            assertEquals(200, response.statusCode());
            assertEquals(
                    "application/json",
                    response.headers().firstValue("Content-Type").orElseThrow());
            Matcher body = HELLO.matcher(response.body());
            assertTrue(body.matches(), response::body);
            return Integer.parseInt(body.group(1));
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String logged(CluRig rig) {
        return rig.clu.log().lines().stream()
                .filter(line -> !line.text().startsWith("the PIN is ")) // the rig has a known one
                .map(line -> line.level() + " " + line.text())
                .collect(Collectors.joining("\n"));
    }

    @Test
    void theSchedulesStart() throws Exception {
        String main = replaced(CluRig.MAIN, "function check", script(SCHEDULES) + "function check");
        try (CluRig rig = new CluRig(directory, main, settings -> {});
                CluClient client = rig.client()) {
            await("OnInit", () -> execute(client, "Garden:get(5)").equals("1"));
            assertEquals("0", execute(client, "CLU:get(14)"));
            assertEquals("true", execute(client, "Alarm:get(2) > 0"));
            assertTrue(Set.of("21.5", "18", "22").contains(execute(client, "Heat:get(2)")));
            assertTrue(Set.of("lights", "water").contains(execute(client, "Garden:get(2)")));
            await("the value", () -> logged(rig).contains("INFO heat to "));
            assertTrue(!logged(rig).contains("WARNING"), () -> logged(rig));

            execute(client, "(function() Late = OBJECT:new(15, 'Late') end)()");
            execute(client, "Late:set(0, '* * * * *')");
            assertEquals("-1", execute(client, "Late:get(2)"), "it needs Start");
            execute(client, "Late:execute(0)");
            assertEquals("1", execute(client, "Late:get(2)"));
        }
    }

    @Test
    void twoControllersOfOneKeyCallEachOther() throws Exception {
        int port = FreePort.udp();
        Path two = directory.resolve("two");
        try (CluRig one =
                new CluRig(
                        directory.resolve("one"),
                        script(ONE),
                        settings -> at(settings, "127.0.1.1", port))) {
            CluRig.write(two, script(TWO), one.project);
            try (Clu second =
                            one.start(
                                    settings -> {
                                        at(settings, "127.0.1.2", port);
                                        settings.directory(two);
                                    });
                    CluClient client = one.client(second, one.project)) {
                assertEquals("1", execute(client, "toggle()"));
                assertEquals("0", execute(client, "toggle()"));
                assertEquals("1", execute(client, "toggle()"));
            }
        }
    }

    private static void at(CluSettings settings, String address, int port) {
        settings.address(Inet4Address.ofLiteral(address))
                .port(port)
                .remotePort(port)
                .broadcasts(false);
    }

    // ---- tables

    /** One interface file: the root of its document. */
    private record Interface(String file, Element root) {
        String heading() {
            return root.hasAttribute("class")
                    ? root.getAttribute("class") + ": " + root.getAttribute("name")
                    : "0: CLU";
        }

        private static Stream<Element> elements(Element in, String tag) {
            NodeList found = in.getElementsByTagName(tag);
            return IntStream.range(0, found.getLength()).mapToObj(i -> (Element) found.item(i));
        }

        /** Returns "KIND INDEX NAME" and what the page has to say of each. */
        List<String> rows() {
            var rows = new ArrayList<String>();
            elements(root, "feature").forEach(each -> rows.add(row(each) + " " + type(each)));
            elements(root, "method")
                    .forEach(
                            each ->
                                    rows.add(
                                            elements(each, "param")
                                                    .map(param -> param.getAttribute("name"))
                                                    .collect(
                                                            Collectors.joining(
                                                                    ", ", row(each) + " (", ")"))));
            elements(root, "event").forEach(each -> rows.add(row(each)));
            return rows;
        }

        private static String row(Element each) {
            return "%s %s %s"
                    .formatted(
                            each.getTagName(),
                            each.getAttribute("index"),
                            each.getAttribute("name"));
        }

        private static String type(Element feature) {
            String type =
                    switch (feature.getAttribute("type")) {
                        case "num" -> "number";
                        case "str" -> "string";
                        default -> feature.getAttribute("type");
                    };
            String unit = feature.getAttribute("unit");
            boolean settable = feature.getAttribute("set").equals("true");
            return type + (unit.isEmpty() ? "" : ", " + unit) + (settable ? "" : ", read only");
        }

        @Override
        public String toString() {
            return file;
        }
    }

    private static List<Interface> interfaces() throws Exception {
        var all = new ArrayList<Interface>();
        try (var files = Files.list(INTERFACES)) {
            for (Path file : files.sorted().toList()) {
                Element root =
                        DocumentBuilderFactory.newDefaultInstance()
                                .newDocumentBuilder()
                                .parse(file.toFile())
                                .getDocumentElement();
                all.add(new Interface(file.getFileName().toString(), root));
            }
        }
        return all;
    }

    /** Returns the lines of the section of each class, by its heading. */
    private static TreeMap<String, List<String>> sections() {
        var sections = new TreeMap<String, List<String>>();
        List<String> section = new ArrayList<>();
        for (String line : page().lines().toList()) {
            Matcher heading = CLASS.matcher(line);
            if (line.startsWith("#")) {
                section = new ArrayList<>();
            }
            if (heading.matches()) {
                sections.put(heading.group(1) + ": " + heading.group(2), section);
            }
            section.add(line);
        }
        return sections;
    }

    @Test
    void everyClassHasItsTable() throws Exception {
        var expected = new TreeSet<String>();
        interfaces().forEach(each -> expected.add(each.heading()));
        expected.add("1: another controller");
        assertEquals(expected, sections().keySet());
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void theTableIsTheInterface(Interface each) {
        List<String> rows =
                sections().get(each.heading()).stream()
                        .filter(line -> line.startsWith("| ") && !line.startsWith("| |"))
                        .map(line -> row(line, each))
                        .toList();
        assertEquals(each.rows(), rows);
    }

    /** Reads a row; of arguments, those that the interface does not know are left out. */
    private static String row(String line, Interface each) {
        Matcher row = ROW.matcher(line);
        assertTrue(row.matches(), line);
        String start = row.group(1) + " " + row.group(2) + " " + row.group(3);
        return switch (row.group(1)) {
            case "feature" -> start + " " + row.group(5).strip();
            case "method" -> {
                String arguments = start + " (" + row.group(4);
                yield each.rows().stream()
                        .filter(known -> known.startsWith(start + " ("))
                        .filter(known -> beginsWith(arguments, known))
                        .findFirst()
                        .orElse(arguments + ")");
            }
            default -> start;
        };
    }

    /** Returns whether arguments are those of the interface, or these and more. */
    private static boolean beginsWith(String arguments, String known) {
        String open = known.substring(0, known.length() - 1); // without the parenthesis
        return arguments.equals(open) || arguments.startsWith(open + ", ");
    }

    @Test
    void theTimeZonesAreThose() {
        String section = page().substring(page().indexOf("\n### Time zones"));
        var zones = new TreeMap<Integer, String>();
        // A match takes the bar before a pair, so that the next pair begins with its own.
        for (MatchResult zone :
                ZONE.matcher(section.substring(0, section.indexOf("\n## "))).results().toList()) {
            zones.put(Integer.valueOf(zone.group(1)), zone.group(2));
        }
        var expected = new TreeMap<Integer, String>();
        for (int number = 0; number <= Zones.UTC; number++) {
            expected.put(number, Zones.of(number).getId());
        }
        assertEquals(expected, zones);
    }
}

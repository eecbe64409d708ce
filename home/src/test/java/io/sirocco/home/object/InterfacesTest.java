// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.InterfaceFiles;
import io.sirocco.home.lua.LuaRuntime;
import io.sirocco.home.lua.ObjectFactory;
import io.sirocco.home.lua.ScriptThread;
import io.sirocco.home.mqtt.NoMqtt;
import java.io.IOException;
import java.io.InputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The interface files, by which Object Manager and other clients know the objects. */
class InterfacesTest {
    private static final Path FOLDER = Path.of("src/main/resources/io/sirocco/home/interfaces");
    private static final Path SOURCES = Path.of("src/main/java/io/sirocco/home/object");
    private static final int INDEXES = 300; // that are tried

    @TempDir Path runtime;
    private Scripts scripts;
    private int read; // warnings of them
    private StandardObjects objects;

    /** One interface file: the root of its document. */
    private record Interface(String name, Element root) {
        int type() {
            return root.hasAttribute("class") ? Integer.parseInt(root.getAttribute("class")) : 0;
        }

        /** Returns indexes and names. */
        TreeMap<Integer, String> all(String tag) {
            return elements(tag)
                    .collect(
                            Collectors.toMap(
                                    each -> Integer.parseInt(each.getAttribute("index")),
                                    each -> each.getAttribute("name"),
                                    (one, other) -> one + " and " + other,
                                    TreeMap::new));
        }

        /** Returns the indexes of the features that have an attribute. */
        Set<Integer> features(String attribute) {
            return elements("feature")
                    .filter(each -> each.getAttribute(attribute).equals("true"))
                    .map(each -> Integer.valueOf(each.getAttribute("index")))
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        private Stream<Element> elements(String tag) {
            NodeList found = root.getElementsByTagName(tag);
            return IntStream.range(0, found.getLength()).mapToObj(i -> (Element) found.item(i));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static List<Interface> interfaces() throws Exception {
        var all = new ArrayList<Interface>();
        try (var files = Files.list(FOLDER)) {
            for (Path file : files.sorted().toList()) {
                all.add(read(file));
            }
        }
        return all;
    }

    private static Interface read(Path file) throws Exception {
        try (InputStream in = Files.newInputStream(file)) {
            Element root =
                    DocumentBuilderFactory.newDefaultInstance()
                            .newDocumentBuilder()
                            .parse(in)
                            .getDocumentElement();
            return new Interface(file.getFileName().toString(), root);
        }
    }

    @BeforeEach
    void listen() {
        objects = new StandardObjects(new FakeController(), runtime, "0");
    }

    @AfterEach
    void close() {
        objects.close();
    }

    private HomeObject create(Interface each) {
        read = 0;
        scripts = new Scripts("2026-11-28T23:30:05Z", runtime, new NoMqtt());
        return objects.create(each.type(), "X1", scripts.context()).orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void everyFeatureThatAnObjectHasIsThere(Interface each) {
        HomeObject object = create(each);
        Set<Integer> listed = each.features("get");
        for (int index = 0; index < INDEXES; index++) {
            if (!object.get(index).isnil()) {
                assertTrue(listed.contains(index), "feature " + index);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void exactlyTheFeaturesThatCanBeSetAreSettable(Interface each) {
        HomeObject object = create(each);
        var settable = new TreeSet<Integer>();
        for (int index : each.all("feature").keySet()) {
            object.set(index, LuaValue.ONE);
            if (!hasLogged("cannot be set")) {
                settable.add(index);
            }
        }
        assertEquals(each.features("set"), settable);
    }

    /**
     * The format has no type for booleans: a feature that is one is a number, 0 or 1, for those
     * that set it.
     */
    @ParameterizedTest
    @MethodSource("interfaces")
    void valuesHaveTheTypesOfTheirFeatures(Interface each) {
        HomeObject object = create(each);
        for (Element feature : each.elements("feature").toList()) {
            int index = Integer.parseInt(feature.getAttribute("index"));
            LuaValue value = object.get(index);
            String type = feature.getAttribute("type");
            String name = feature.getAttribute("name") + " = " + value;
            switch (value.type()) {
                case LuaValue.TNIL -> {} // it has no value yet
                case LuaValue.TNUMBER ->
                        assertTrue(Set.of("num", "timestamp").contains(type), name);
                case LuaValue.TBOOLEAN -> {
                    assertEquals("num 0,1", type + " " + feature.getAttribute("enum"), name);
                    if (feature.getAttribute("set").equals("true")) {
                        object.set(index, LuaValue.ONE);
                        assertEquals(LuaValue.TRUE, object.get(index), name);
                        object.set(index, LuaValue.ZERO);
                        assertEquals(LuaValue.FALSE, object.get(index), name);
                    }
                }
                case LuaValue.TSTRING -> assertEquals("str", type, name);
                default -> assertEquals(value.typename(), type, name);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void valuesHaveTheLimitsOfTheirFeatures(Interface each) {
        HomeObject object = create(each);
        for (Element feature : each.elements("feature").toList()) {
            int index = Integer.parseInt(feature.getAttribute("index"));
            String name = feature.getAttribute("name");
            String[] range = feature.getAttribute("range").split("-");
            if (range.length == 2 && feature.getAttribute("set").equals("true")) {
                long min = Long.parseLong(range[0]);
                long max = Long.parseLong(range[1]);
                assertEquals(min, set(object, index, min), name);
                assertEquals(max, set(object, index, max), name);
                if (name.equals("StatusCode")) {
                    continue; // checked when the response is sent
                }
                assertEquals(max, set(object, index, min - 1), name);
                assertEquals(max, set(object, index, max + 1), name);
            }
        }
    }

    private static long set(HomeObject object, int index, long value) {
        object.set(index, LuaValue.valueOf((double) value));
        return object.get(index).tolong();
    }

    @Test
    void theControllerHasNoMoreObjectsThanItsOptionSays() throws Exception {
        Interface controller = read(FOLDER.resolve("clu_virtual_sirocco.xml"));
        String limit =
                controller
                        .elements("option")
                        .filter(each -> each.getAttribute("name").equals("maxObjects"))
                        .findFirst()
                        .orElseThrow()
                        .getAttribute("value");
        Files.createDirectories(runtime.resolve("root/a"));
        Files.writeString(
                runtime.resolve("root/a/MAIN.LUA"),
                """
                function checkAlive() return "true" end
                SYSTEM.Init()
                created = 0
                while pcall(OBJECT.new, OBJECT, 7777, "X" .. created) do created = created + 1 end
                repeat SYSTEM.Loop() until false
                """);
        try (var lua = LuaRuntime.create(runtime.resolve("root"), report -> {}, settings -> {})) {
            lua.start(factory()).get(60, TimeUnit.SECONDS);
            var created = new CompletableFuture<String>();
            lua.call("created", created::complete);
            assertEquals(limit, created.get(60, TimeUnit.SECONDS));
        }
    }

    private ObjectFactory factory() {
        return new ObjectFactory() {
            @Override
            public ObjectContext context(ScriptThread scripts, LuaValue globals) {
                var address = (Inet4Address) InetAddress.ofLiteral("127.0.0.1");
                return new ObjectContext(
                        scripts, globals, runtime, address, () -> ZoneOffset.UTC, new NoMqtt());
            }

            @Override
            public Optional<HomeObject> create(
                    int type, boolean gate, String name, Varargs arguments, ObjectContext context) {
                return objects.create(type, name, context);
            }
        };
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void exactlyTheMethodsOfTheObjectAreThere(Interface each) {
        HomeObject object = create(each);
        var methods = new TreeSet<Integer>();
        for (int index = 0; index < INDEXES; index++) {
            try {
                object.execute(index, LuaValue.NONE);
            } catch (LuaError e) {
                // it needs arguments
            }
            if (!hasLogged("has no such method")) {
                methods.add(index);
            }
        }
        assertEquals(each.all("method").keySet(), methods);
    }

    @Test
    void methodsTakeAndReturnWhatTheirInterfaceSays() throws Exception {
        Interface rules = read(FOLDER.resolve("object_event_scheduler.xml"));
        HomeObject scheduler = create(rules);
        scheduler.execute(0, LuaValue.NONE); // Start
        assertReturns("num", rules, scheduler, 2, "a: 0 5 * * *");
        assertReturns("str", rules, scheduler, 4, "a");
        assertReturns("str", rules, scheduler, 5, "1");
        assertReturns("str", rules, scheduler, 6, "a");
        assertReturns("str", rules, scheduler, 5, "a");
        assertReturns("str", rules, scheduler, 7);
        assertReturns("num", rules, scheduler, 8);
        assertReturns("str", rules, scheduler, 3, "1");
        assertEquals("0", scheduler.get(3).tojstring());
        Interface topic = read(FOLDER.resolve("object_mqtt_topic.xml"));
        assertReturns("str", topic, create(topic), 10, "a", "b", "1");
        Interface controller = read(FOLDER.resolve("clu_virtual_sirocco.xml"));
        assertReturns("void", controller, create(controller), 30, "CLU1->DIN1", "press");
    }

    /** Checks a call by a client, to which true and false are strings. */
    private static void assertReturns(
            String type, Interface file, HomeObject object, int index, String... arguments) {
        Element method =
                file.elements("method")
                        .filter(each -> each.getAttribute("index").equals("" + index))
                        .findFirst()
                        .orElseThrow();
        String name = method.getAttribute("name");
        assertEquals(arguments.length, method.getElementsByTagName("param").getLength(), name);
        assertEquals(type, method.getAttribute("return"), name);
        LuaValue[] values = Stream.of(arguments).map(LuaValue::valueOf).toArray(LuaValue[]::new);
        LuaValue value = object.execute(index, LuaValue.varargsOf(values)).arg1();
        String returned =
                switch (value.type()) {
                    case LuaValue.TNIL, LuaValue.TNONE -> "void";
                    case LuaValue.TNUMBER -> "num";
                    case LuaValue.TTABLE -> "table";
                    default -> "str";
                };
        assertEquals(type, returned, name + ": " + value);
    }

    private boolean hasLogged(String text) {
        List<String> warnings = scripts.thread.warnings();
        boolean found =
                warnings.subList(read, warnings.size()).stream()
                        .anyMatch(line -> line.contains(text));
        read = warnings.size();
        return found;
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void theDocumentationHasTheSameNames(Interface each) throws IOException {
        String type = each.type() == 0 ? "CluObject" : each.root().getAttribute("name");
        String source =
                Files.readString(SOURCES.resolve(type + ".java")).replaceAll("\\s+\\*\\s+", " ");
        for (String kind : new String[] {"feature", "method", "event"}) {
            var cell =
                    Pattern.compile("<tr><td>" + kind + "s</td><td>(.*?)</td></tr>")
                            .matcher(source);
            assertTrue(cell.find());
            each.all(kind)
                    .forEach(
                            (index, name) ->
                                    assertTrue(
                                            Pattern.compile("\\b" + index + " " + name + "\\b")
                                                    .matcher(cell.group(1))
                                                    .find(),
                                            kind + " " + index + " " + name));
        }
    }

    @Test
    void theControllerListsAllObjects() throws Exception {
        var versions = new TreeMap<String, String>();
        var listed = new TreeMap<String, String>();
        for (Interface each : interfaces()) {
            if (each.type() != 0) {
                versions.put(each.root().getAttribute("name"), each.root().getAttribute("version"));
            } else {
                each.elements("object")
                        .forEach(
                                object ->
                                        listed.put(
                                                object.getAttribute("name"),
                                                object.getAttribute("version")));
            }
        }
        assertEquals(versions, listed);
        assertNotNull(
                StandardObjects.class.getResource("/io/sirocco/home/interfaces/object_timer.xml"));
    }

    @Test
    void allAreWrittenIntoAFolder() throws IOException {
        Path folder = runtime.resolve("interfaces");
        List<Path> written = InterfaceFiles.write(folder);
        try (var files = Files.list(FOLDER)) {
            assertEquals(
                    files.map(file -> folder.resolve(file.getFileName())).sorted().toList(),
                    written);
        }
        for (Path file : InterfaceFiles.write(folder)) { // over those that exist
            assertEquals(-1, Files.mismatch(FOLDER.resolve(file.getFileName()), file));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.InterfaceFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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
        scripts = new Scripts("2026-11-28T23:30:05Z", runtime, new Scripts.NoMqtt());
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

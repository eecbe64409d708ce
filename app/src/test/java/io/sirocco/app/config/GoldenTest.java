// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The files of src/test/resources/config; the README.md there says how to add one. */
class GoldenTest {
    private static final Path FOLDER = Path.of("src/test/resources/config").toAbsolutePath();
    private static final boolean ACCEPT = Boolean.getBoolean("config.accept");
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    private static final ObjectNode USUAL = usual();

    @TestFactory
    Stream<DynamicTest> eachFileComesToWhatLiesBesideIt() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            List<Path> cases = files.filter(file -> file.toString().endsWith(".toml")).toList();
            assertTrue(cases.size() >= 60, "cases: " + cases.size());
            return cases.stream()
                    .sorted()
                    .map(
                            file ->
                                    DynamicTest.dynamicTest(
                                            file.getFileName().toString(), () -> run(file)));
        }
    }

    private static void run(Path file) throws IOException {
        String values = "";
        String said;
        try {
            Configuration configuration = Configuration.load(file, Overrides.NONE);
            String json = configuration.toJson();
            values = withoutTheUsual(json);
            said = joined(configuration.warnings());
            assertEquals(json, again(configuration).toJson(), "round trip");
        } catch (InvalidConfiguration invalid) {
            said = invalid.getMessage();
            assertTrue(said.endsWith("\n"), said);
        }
        String name = file.getFileName().toString().replace(".toml", "");
        compare(file.resolveSibling(name + ".json"), values);
        compare(file.resolveSibling(name + ".txt"), said);
    }

    private static ObjectNode usual() {
        try {
            return (ObjectNode) JSON.readTree(parse("usual.toml", "[[site]]\n").toJson());
        } catch (InvalidConfiguration invalid) {
            throw new AssertionError(invalid);
        }
    }

    private static String joined(List<Problem> problems) {
        return problems.stream().map(Problem::toString).collect(Collectors.joining());
    }

    /** What check prints is a configuration that comes to the same. */
    private static Configuration again(Configuration configuration) {
        try {
            return parse("again.toml", configuration.toToml());
        } catch (InvalidConfiguration invalid) {
            throw new AssertionError(configuration.toToml(), invalid);
        }
    }

    private static Configuration parse(String name, String text) throws InvalidConfiguration {
        Source source = Source.of(name, Path.of("/elsewhere"), text);
        return Configuration.parse(
                source, Overrides.NONE, new Reading(source.folder(), new Report()));
    }

    /** Only what differs from the usual values; of each table of a list, too. */
    private static String withoutTheUsual(String json) {
        JsonNode all = JSON.readTree(json);
        prune((ObjectNode) all, USUAL);
        return JSON.writeValueAsString(all).replace("\r\n", "\n") + "\n";
    }

    private static void prune(ObjectNode node, ObjectNode usual) {
        for (String key : List.copyOf(node.propertyNames())) {
            JsonNode value = node.get(key);
            JsonNode other = usual.get(key);
            if (value.equals(other) || value.isEmpty() && value.isArray() && key.equals("site")) {
                node.remove(key);
            } else if (value instanceof ObjectNode inner && other instanceof ObjectNode same) {
                prune(inner, same);
            } else if (value instanceof ArrayNode items
                    && other instanceof ArrayNode same
                    && same.get(0) instanceof ObjectNode first) {
                items.forEach(item -> prune((ObjectNode) item, first));
            }
        }
    }

    /** An empty text stands for no file. */
    private static void compare(Path expected, String text) throws IOException {
        String actual = text.replace(FOLDER.toString(), "FOLDER");
        if (ACCEPT && actual.isEmpty()) {
            Files.deleteIfExists(expected);
        } else if (ACCEPT) {
            Files.writeString(expected, actual);
        }
        String wanted = Files.exists(expected) ? Files.readString(expected, UTF_8) : "";
        assertEquals(wanted, actual, expected.getFileName() + "; see README.md beside it");
    }
}

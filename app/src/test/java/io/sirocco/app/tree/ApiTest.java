// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The API of each module stands in {@code api/MODULE.txt}: what javap says of the public types of
 * its exported packages. A change of API changes that file, and is read there.
 */
class ApiTest {
    private static final Path FILES = Path.of("..", "api");
    private static final boolean ACCEPT = Boolean.getBoolean("api.accept");

    @ParameterizedTest
    @ValueSource(strings = {"net", "openssl", "http", "web", "live", "script"})
    void isThatOfTheFile(String module) throws IOException {
        Path file = FILES.resolve(module + ".txt");
        String api = api(module);
        if (ACCEPT) {
            Files.writeString(file, api);
        }
        assertEquals(
                Files.readString(file),
                api,
                "The API has changed. If that is meant, run: ./sirocco test -pl app -Dtest=ApiTest"
                        + " -Dapi.accept=true");
    }

    private static String api(String module) throws IOException {
        Tree tree = Tree.read();
        List<String> types =
                tree.types().stream()
                        .filter(type -> type.module().equals(module) && type.isVisible())
                        .filter(type -> tree.exported().contains(type.packageName()))
                        .map(Tree.Type::binaryName)
                        .sorted()
                        .toList();
        var arguments =
                new ArrayList<>(List.of("-protected", "-cp", "../" + module + "/target/classes"));
        arguments.addAll(types);
        var out = new StringWriter();
        int status =
                ToolProvider.findFirst("javap")
                        .orElseThrow()
                        .run(
                                new PrintWriter(out),
                                new PrintWriter(out),
                                arguments.toArray(String[]::new));
        assertEquals(0, status, out.toString());
        return out.toString()
                .lines()
                .filter(line -> !line.startsWith("Compiled from"))
                .collect(Collectors.joining("\n", "", "\n"));
    }
}

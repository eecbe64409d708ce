// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.tree;

import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How packages use each other, and what they show. */
class PackagesTest {
    private static final Path EXPECTED = Path.of("src/test/resources/tree");

    private static Tree tree;

    @BeforeAll
    static void read() throws IOException {
        tree = Tree.read();
    }

    /** Packages that use each other are named in a file, with a reason each. */
    @Test
    void cyclesAreThoseThatHaveAReason() throws IOException {
        Map<String, Set<String>> uses = uses();
        var inCycles = new TreeSet<String>();
        for (String each : uses.keySet()) {
            if (reachable(uses, each).contains(each)) {
                inCycles.add(each);
            }
        }
        assertEquals(String.join("\n", expected("cycles.txt")), String.join("\n", inCycles));
    }

    /** A type is public for other packages, or for programs. */
    @Test
    void noTypeIsPublicWithoutNeed() throws IOException {
        Set<String> usedElsewhere =
                tree.types().stream()
                        .flatMap(type -> type.uses().stream().filter(used -> !isBeside(type, used)))
                        .collect(toSet());
        var without =
                tree.types().stream()
                        .filter(type -> type.isVisible() && !type.isNested())
                        .filter(type -> !tree.exported().contains(type.packageName()))
                        .map(Tree.Type::name)
                        .filter(name -> !usedElsewhere.contains(name))
                        .collect(toCollection(TreeSet::new));
        assertEquals(String.join("\n", expected("public.txt")), String.join("\n", without));
    }

    private static boolean isBeside(Tree.Type type, String used) {
        return type.packageName().equals(Tree.packageOf(used));
    }

    private static Map<String, Set<String>> uses() {
        var uses = new TreeMap<String, Set<String>>();
        Set<String> all = tree.types().stream().map(Tree.Type::name).collect(toSet());
        for (Tree.Type type : tree.types()) {
            Set<String> of = uses.computeIfAbsent(type.packageName(), _ -> new TreeSet<>());
            type.uses().stream()
                    .filter(all::contains)
                    .map(Tree::packageOf)
                    .filter(used -> !used.equals(type.packageName()))
                    .forEach(of::add);
        }
        return uses;
    }

    private static Set<String> reachable(Map<String, Set<String>> uses, String from) {
        var found = new HashSet<String>();
        var open = new ArrayDeque<>(uses.get(from));
        for (String next; (next = open.poll()) != null; ) {
            if (found.add(next)) {
                open.addAll(uses.get(next));
            }
        }
        return found;
    }

    /** The first word of each line, sorted; the rest of the line is the reason. */
    private static Set<String> expected(String file) throws IOException {
        return Files.readAllLines(EXPECTED.resolve(file)).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(line -> line.split(" ")[0])
                .collect(toCollection(TreeSet::new));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.report.Race;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/** Names of peers: each is a folder with a program {@code peer}. */
final class Peers {
    private static final Comparator<String> ORDER =
            Comparator.comparingInt(Peers::rank).thenComparing(Comparator.naturalOrder());

    private Peers() {}

    /** The floor first, then ours, then the others of ours, then the rest. */
    private static int rank(String name) {
        return switch (name) {
            case Race.FLOOR -> 0;
            case Race.OURS -> 1;
            default -> name.startsWith(Race.OURS) ? 2 : 3;
        };
    }

    /**
     * Those that are asked for, the floor and ours, in the order of a race.
     *
     * @throws IllegalArgumentException when a name is unknown; says which there are
     */
    static List<String> named(List<String> names, Path peersDir) {
        List<String> known = in(peersDir);
        var chosen = new TreeSet<>(ORDER);
        chosen.addAll(List.of(Race.FLOOR, Race.OURS));
        for (String name : names) {
            if (name.equals("all")) {
                chosen.addAll(known);
            } else if (known.contains(name)) {
                chosen.add(name);
            } else {
                throw new IllegalArgumentException(
                        "there is no peer '%s' in %s; there are %s"
                                .formatted(name, peersDir, String.join(", ", known)));
            }
        }
        return List.copyOf(chosen);
    }

    private static List<String> in(Path peersDir) {
        var names = new ArrayList<String>();
        try (var folders = Files.newDirectoryStream(peersDir, Files::isDirectory)) {
            for (Path folder : folders) {
                if (Files.exists(folder.resolve("peer")) && !folder.endsWith(Upstream.NAME)) {
                    names.add(folder.getFileName().toString());
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw new IllegalArgumentException("there is no folder of peers at " + peersDir, e);
        }
        names.sort(ORDER);
        return names;
    }
}

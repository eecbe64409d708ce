// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The classes by which the style sheet colours peers: the floor, ours, and the others by language.
 * Immutable.
 *
 * @param languages class of each language, in the order of the race
 */
record Palette(Map<String, String> languages, Map<String, String> languageOf) {
    /** As many as the style sheet has, after which they begin anew. */
    private static final int COLOURS = 6;

    /** Floor, ours and its kin have colours of their own. */
    static Palette of(Race race) {
        var languages = new LinkedHashMap<String, String>();
        var languageOf = new LinkedHashMap<String, String>();
        for (Race.Peer peer : race.peers()) {
            languages.computeIfAbsent(peer.language(), l -> "l" + languages.size() % COLOURS);
            languageOf.put(peer.name(), peer.language());
        }
        return new Palette(languages, languageOf);
    }

    String peer(String name) {
        if (name.equals(Race.FLOOR)) {
            return "floor";
        }
        if (Place.isFamily(name)) {
            return name.equals(Race.OURS) ? "ours" : "ours family";
        }
        return languages.getOrDefault(languageOf.getOrDefault(name, ""), "l0");
    }

    /** Languages of those of {@code peers} that are coloured by them. */
    List<String> legend(List<String> peers) {
        List<String> used =
                peers.stream()
                        .filter(p -> !p.equals(Race.FLOOR) && !Place.isFamily(p))
                        .map(p -> languageOf.getOrDefault(p, ""))
                        .toList();
        return languages.keySet().stream().filter(used::contains).toList();
    }

    /** A style sheet of this package, without its comments. */
    static String sheet(String name) {
        try (InputStream in = Palette.class.getResourceAsStream(name)) {
            String css =
                    new String(
                            Objects.requireNonNull(in, name).readAllBytes(),
                            StandardCharsets.UTF_8);
            return css.replaceAll("(?s)/\\*.*?\\*/\\s*", "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.stream.Stream;

/** All works, by their names, and the groups that published benchmarks make of them. */
final class Works {
    private static final Map<String, Work> BY_NAME = new LinkedHashMap<>();
    private static final Map<String, List<String>> GROUPS = new LinkedHashMap<>();

    static {
        Stream.of(BasicWorks.ALL, ProxyWorks.ALL, LiveWorks.ALL, PublishedWorks.ALL)
                .flatMap(List::stream)
                .forEach(work -> BY_NAME.put(work.name(), work));
        GROUPS.put("all", BasicWorks.ALL.stream().map(Work::name).toList());
        GROUPS.put(
                "qurricane",
                List.of(
                        "qurricane-ab-30",
                        "qurricane-ab-1000",
                        "qurricane-30",
                        "qurricane-1000",
                        "echo19"));
        GROUPS.put("pokerface", List.of("files", "files-close"));
        GROUPS.put("fire-io-rest", List.of("fire-io-rest-close", "fire-io-rest-keep"));
        GROUPS.put("proxy", ProxyWorks.ALL.stream().map(Work::name).toList());
        GROUPS.put("live", LiveWorks.ALL.stream().map(Work::name).toList());
    }

    private Works() {}

    /**
     * The works of these names, which may be those of groups; each once.
     *
     * @throws IllegalArgumentException when a name is unknown; says which there are
     */
    static List<Work> named(List<String> names) {
        SequencedSet<Work> chosen = new LinkedHashSet<>();
        for (String name : names) {
            for (String member : GROUPS.getOrDefault(name, List.of(name))) {
                chosen.add(known(member));
            }
        }
        return List.copyOf(chosen);
    }

    private static Work known(String name) {
        Work work = BY_NAME.get(name);
        if (work == null) {
            throw new IllegalArgumentException(
                    "there is no work '%s'; there are %s, and the groups %s"
                            .formatted(
                                    name,
                                    String.join(", ", BY_NAME.keySet()),
                                    String.join(", ", GROUPS.keySet())));
        }
        return work;
    }
}

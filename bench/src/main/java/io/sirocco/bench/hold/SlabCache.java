// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One cache of the kernel's slab allocator, a kind of objects: slabinfo(5). Immutable.
 *
 * @param objects in use
 * @param bytes of its pages
 */
public record SlabCache(String name, long objects, long bytes) {
    private static final int COLUMNS = 16;

    /** All of them by their names; none where they cannot be read, which only root can. */
    static Map<String, SlabCache> all() {
        try {
            return parse(ProcFile.read(Path.of("/proc/slabinfo")).text(), KernelMemory.pageSize());
        } catch (IOException e) {
            return Map.of();
        }
    }

    static Map<String, SlabCache> parse(String text, long pageSize) {
        var all = new TreeMap<String, SlabCache>();
        for (String line : text.split("\n")) {
            String[] words = line.strip().split("\\s+");
            if (words.length == COLUMNS && words[12].equals("slabdata")) {
                long pages = Long.parseLong(words[14]) * Long.parseLong(words[5]);
                all.put(
                        words[0],
                        new SlabCache(words[0], Long.parseLong(words[1]), pages * pageSize));
            }
        }
        return all;
    }

    /** Those that have grown, the most first, without what is less than {@code least} bytes. */
    static List<SlabCache> growth(
            Map<String, SlabCache> before, Map<String, SlabCache> after, long least) {
        var grown = new ArrayList<SlabCache>();
        for (SlabCache now : after.values()) {
            SlabCache then = before.getOrDefault(now.name, new SlabCache(now.name, 0, 0));
            long bytes = now.bytes - then.bytes;
            if (bytes >= Math.max(1, least)) {
                grown.add(new SlabCache(now.name, now.objects - then.objects, bytes));
            }
        }
        grown.sort(Comparator.comparingLong(SlabCache::bytes).reversed());
        return List.copyOf(grown);
    }
}

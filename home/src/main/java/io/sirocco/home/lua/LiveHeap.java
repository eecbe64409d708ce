// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** How much of the heap was in use after the last garbage collection. Any thread. */
final class LiveHeap {
    private static final List<GarbageCollectorMXBean> COLLECTORS =
            ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class);
    private static final Set<String> POOLS =
            ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(pool -> pool.getType() == MemoryType.HEAP)
                    .map(MemoryPoolMXBean::getName)
                    .collect(Collectors.toUnmodifiableSet());
    private static final long LONGEST_PAUSE = Duration.ofSeconds(5).toNanos();
    private static final int PAUSES = 10; // times the duration of a collection

    private static boolean collected;
    private static long last; // collection that was asked for
    private static long pause; // nanoseconds to the next

    private LiveHeap() {}

    /**
     * Returns the bytes in use after the last collection, 0 if there was none yet. After that of a
     * young generation, some of them are garbage.
     */
    static long afterLastCollection() {
        GcInfo latest = null;
        for (GarbageCollectorMXBean each : COLLECTORS) {
            GcInfo info = each.getLastGcInfo();
            if (info != null && (latest == null || info.getEndTime() >= latest.getEndTime())) {
                latest = info;
            }
        }
        if (latest == null) {
            return 0;
        }
        long used = 0;
        for (Map.Entry<String, MemoryUsage> pool : latest.getMemoryUsageAfterGc().entrySet()) {
            if (POOLS.contains(pool.getKey())) {
                used += pool.getValue().getUsed();
            }
        }
        return used;
    }

    /** Returns how many collections there were. */
    static long collections() {
        long sum = 0;
        for (GarbageCollectorMXBean each : COLLECTORS) {
            sum += Math.max(0, each.getCollectionCount());
        }
        return sum;
    }

    /**
     * Collects the garbage of all generations, for up to a tenth of the time, and once in five
     * seconds at least.
     *
     * @return whether it has
     */
    static synchronized boolean collect() {
        long now = System.nanoTime();
        if (collected && now - last < pause) {
            return false;
        }
        System.gc();
        collected = true;
        last = System.nanoTime();
        pause = Math.min(LONGEST_PAUSE, PAUSES * (last - now));
        return true;
    }

    /** Returns the bytes that are not in use, neither for objects nor for garbage. */
    static long free() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
    }
}

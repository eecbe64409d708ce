// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The values that scripts of all contexts share. Bounded in entries and bytes; beyond it the least
 * recently used entry is dropped. Any thread.
 */
final class KeyValues {
    /** What an entry takes besides its text, roughly. */
    private static final int ENTRY = 100;

    private final int maxEntries;
    private final long maxBytes;
    private final LongSupplier nanos;
    private final LinkedHashMap<String, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    private record Entry(String json, boolean expires, long at, long bytes) {}

    KeyValues(int maxEntries, long maxBytes, LongSupplier nanos) {
        this.maxEntries = maxEntries;
        this.maxBytes = maxBytes;
        this.nanos = nanos;
    }

    /** Returns the JSON of a value, or null. */
    synchronized String get(String key) {
        Entry entry = entries.get(key);
        if (entry == null) {
            return null;
        }
        if (entry.expires && entry.at - nanos.getAsLong() <= 0) {
            delete(key);
            return null;
        }
        return entry.json;
    }

    /**
     * Stores a value for so many seconds, or until it is dropped if {@code ttl} is 0.
     *
     * @throws IllegalArgumentException if it is longer than everything may be
     */
    synchronized void set(String key, String json, double ttl) {
        long size = ENTRY + 2L * (key.length() + json.length());
        if (size > maxBytes) {
            throw new IllegalArgumentException("The value is larger than kv may be.");
        }
        delete(key);
        long at = ttl > 0 ? nanos.getAsLong() + (long) Math.min(ttl * 1e9, Long.MAX_VALUE / 4) : 0;
        entries.put(key, new Entry(json, ttl > 0, at, size));
        bytes += size;
        var oldest = entries.entrySet().iterator();
        while (entries.size() > maxEntries || bytes > maxBytes) {
            Map.Entry<String, Entry> dropped = oldest.next();
            bytes -= dropped.getValue().bytes;
            oldest.remove();
        }
    }

    synchronized boolean delete(String key) {
        Entry entry = entries.remove(key);
        if (entry != null) {
            bytes -= entry.bytes;
        }
        return entry != null;
    }

    /**
     * Adds to a number, which begins at 0, and returns the sum. Keeps the time at which it ends.
     */
    synchronized double increment(String key, double by, double ttl) {
        String known = get(key);
        double sum = by;
        if (known != null) {
            try {
                sum += Double.parseDouble(known);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("The value of " + key + " is not a number.", e);
            }
        }
        Entry entry = entries.get(key);
        double left = ttl;
        if (entry != null) {
            left = entry.expires ? (entry.at - nanos.getAsLong()) / 1e9 : 0;
        }
        set(key, text(sum), left);
        return sum;
    }

    private static String text(double sum) {
        return sum == Math.rint(sum) && Math.abs(sum) < 1L << 53
                ? Long.toString((long) sum)
                : Double.toString(sum);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import java.util.ArrayList;
import java.util.List;

/** The stored responses of one URL, the newest first (RFC 9111 4.1). Immutable. */
record Variants(List<StoredResponse> all) {

    /** Returns the newest response that a request selects; null if there is none. */
    StoredResponse select(CacheRequest request) {
        for (StoredResponse stored : all) {
            if (stored.selects(request)) {
                return stored;
            }
        }
        return null;
    }

    /**
     * Returns these with another one, which replaces those of the same selector, unless one of them
     * is newer by its date (RFC 9111 4): a slow fetch does not undo a later one.
     */
    static Variants with(Variants before, StoredResponse added, int most) {
        if (before != null && before.all.stream().anyMatch(old -> isNewer(old, added))) {
            return before;
        }
        var list = new ArrayList<StoredResponse>();
        list.add(added);
        if (before != null) {
            for (StoredResponse old : before.all) {
                if (list.size() < most && old.usable() && !isReplaced(old, added)) {
                    list.add(old);
                }
            }
        }
        return new Variants(List.copyOf(list));
    }

    private static boolean isNewer(StoredResponse old, StoredResponse added) {
        return isReplaced(old, added) && old.usable() && seconds(old) > seconds(added);
    }

    /** The dates that are compared are in seconds, as {@code Date} is: some responses have none. */
    private static long seconds(StoredResponse of) {
        return of.facts.date() / 1000;
    }

    private static boolean isReplaced(StoredResponse old, StoredResponse added) {
        return old.selector.equals(added.selector) && old.keys.equals(added.keys);
    }

    /** Returns these without one; null if none remains. */
    Variants without(StoredResponse removed) {
        List<StoredResponse> rest = all.stream().filter(stored -> stored != removed).toList();
        return rest.isEmpty() ? null : new Variants(rest);
    }

    boolean hasBody(StoredBody body) {
        return all.stream().anyMatch(stored -> stored.body == body);
    }

    long bytes(String url) {
        long sum = 2L * url.length();
        for (StoredResponse stored : all) {
            sum += stored.memoryBytes();
        }
        return sum;
    }
}

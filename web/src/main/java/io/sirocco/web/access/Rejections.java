// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Headers;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The refusals of the access rules of a server, and how often each rule has refused: {@code allow},
 * {@code basic-auth}, {@code connections-per-address}, {@code cors}, {@code deny}, {@code
 * rate-limit}. All sites share one, which is kept over reloads, so that counts only grow. The pages
 * of refusals are those of the server, {@link io.sirocco.http.Config#errorPages}. Any thread.
 */
public final class Rejections {
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    /** Counts of rules that have refused nothing yet. */
    public Rejections() {}

    /** How often each rule that exists has refused, by its name. */
    public Map<String, Long> counts() {
        var snapshot = new TreeMap<String, Long>();
        counts.forEach((rule, count) -> snapshot.put(rule, count.sum()));
        return snapshot;
    }

    /** The count of a rule, which stands in {@link #counts} from now on. */
    LongAdder count(String rule) {
        return counts.computeIfAbsent(rule, name -> new LongAdder());
    }

    /** The refusal of a rule, with the page that the server has for a status. */
    Refusal refusal(String rule, int status) {
        return new Refusal(rule, count(rule), status, Headers.none());
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Sessions that this node has taken back before it has read that another had taken them: what the
 * log says of that is not true any more. Any thread: with the lock held while the node is told, so
 * that a session is not ended behind its return.
 */
final class Returns {
    private record Key(String namespace, String pid) {}

    private record Return(long number, Key key) {}

    private final Map<Key, Long> latest = new HashMap<>();
    private final ArrayDeque<Return> unread = new ArrayDeque<>(); // in the order of numbers, about
    private long reached;

    /** It was taken by this node, when {@code number} was the newest of the log. */
    synchronized void add(String namespace, String pid, long number) {
        if (number > reached) {
            var key = new Key(namespace, pid);
            latest.merge(key, number, Math::max);
            unread.add(new Return(number, key));
        }
    }

    /** Has the node told that another has taken it, unless it is back since. */
    synchronized void taken(String namespace, String pid, long number, Runnable tell) {
        if (latest.getOrDefault(new Key(namespace, pid), -1L) < number) {
            tell.run();
        }
    }

    /** All up to this number is read. */
    synchronized void reached(long number) {
        reached = number;
        while (!unread.isEmpty() && unread.peek().number <= number) {
            Key key = unread.remove().key;
            latest.computeIfPresent(key, (any, last) -> last <= number ? null : last);
        }
    }

    /** The numbers are others from now on. */
    synchronized void restart(long number) {
        latest.clear();
        unread.clear();
        reached = number;
    }
}

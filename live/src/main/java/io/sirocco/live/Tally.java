// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.util.EnumMap;
import java.util.Map;

/** What one {@link Shard} has counted. Loop-confined, but for {@link Count#get}. */
final class Tally {
    final Count connects = new Count();
    final Count recovered = new Count();
    final Count messagesIn = new Count();
    final Count bytesIn = new Count();
    final Count messagesOut = new Count();
    final Count bytesOut = new Count();
    final Count dropped = new Count();
    final Count gaps = new Count();
    final Count requests = new Count();
    final Count queued = new Count();
    final Count queuedBytes = new Count();
    private final Map<Reason, Count> closes = new EnumMap<>(Reason.class);

    Tally() {
        for (Reason reason : Reason.values()) {
            closes.put(reason, new Count());
        }
    }

    Count closes(Reason reason) {
        return closes.get(reason);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.schedule;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;

/** Converts local times to instants. Any thread. */
final class LocalTimes {
    private LocalTimes() {}

    /**
     * Returns the instant of a local time: the end of the gap if the clocks skip it, its first pass
     * if they repeat it.
     */
    static Instant instant(LocalDateTime time, ZoneId zone) {
        List<ZoneOffset> offsets = zone.getRules().getValidOffsets(time);
        return offsets.isEmpty()
                ? zone.getRules().getTransition(time).getInstant()
                : time.toInstant(offsets.getFirst());
    }
}

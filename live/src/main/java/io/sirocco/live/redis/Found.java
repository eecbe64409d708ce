// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An entry as the server has it. Immutable.
 *
 * @param only the node that it concerns, or null for all
 */
record Found(Offset offset, byte[] payload, byte[] only) {

    /** The entries of a reply to XREAD from one stream; none when there is nothing new. */
    static List<Found> of(Object reply) {
        if (!(reply instanceof List<?> streams) || streams.isEmpty()) {
            return List.of();
        }
        return entries(((List<?>) streams.getFirst()).get(1));
    }

    /** The entries of a reply to XRANGE. */
    static List<Found> entries(Object reply) {
        List<?> raw = (List<?>) reply;
        List<Found> entries = new ArrayList<>(raw.size());
        for (Object one : raw) {
            List<?> pair = (List<?>) one;
            List<?> fields = (List<?>) pair.get(1);
            Offset offset = Offset.of((byte[]) pair.get(0));
            byte[] payload = field(fields, 'p');
            entries.add(
                    new Found(offset, payload == null ? new byte[0] : payload, field(fields, 'o')));
        }
        return entries;
    }

    boolean isFor(byte[] node) {
        return only == null || Arrays.equals(only, node);
    }

    /** What it says; of what nobody can read, that. */
    Entry entry() {
        try {
            return Entry.read(payload);
        } catch (RuntimeException e) {
            return new Entry.Unknown(0, 0);
        }
    }

    private static byte[] field(List<?> fields, char name) {
        for (int i = 0; i + 1 < fields.size(); i += 2) {
            byte[] found = (byte[]) fields.get(i);
            if (found.length == 1 && found[0] == name) {
                return (byte[]) fields.get(i + 1);
            }
        }
        return null;
    }
}

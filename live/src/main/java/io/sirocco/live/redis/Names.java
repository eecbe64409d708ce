// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.live.broker.Room;
import java.io.ByteArrayOutputStream;

/**
 * Ends of keys, and fields: several texts in one, each but the last with its length in bytes and a
 * colon before it, so that none is taken for another.
 */
final class Names {
    private Names() {}

    static byte[] of(String first, String last) {
        return of(first.getBytes(UTF_8), last);
    }

    static byte[] of(byte[] first, String last) {
        var out = new ByteArrayOutputStream();
        out.writeBytes((first.length + ":").getBytes(UTF_8));
        out.writeBytes(first);
        out.writeBytes(last.getBytes(UTF_8));
        return out.toByteArray();
    }

    static byte[] of(Room room) {
        return of(room.namespace(), room.name());
    }
}

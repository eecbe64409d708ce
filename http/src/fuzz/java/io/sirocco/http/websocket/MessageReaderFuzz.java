// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import io.sirocco.http.websocket.MessageReader.Event;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Any bytes as frames of a server, which are not masked: what is read does not depend on how they
 * are split. The first byte says whether compression was agreed on, and where to split.
 */
public final class MessageReaderFuzz {
    private static final int LIMIT = 1 << 16;

    private MessageReaderFuzz() {}

    /** Called by Jazzer for each input. */
    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length < 2) {
            return;
        }
        Agreement agreement =
                (data[0] & 1) == 0
                        ? null
                        : new Agreement((data[0] & 2) != 0, (data[0] & 2) != 0, 15, false);
        byte[] frames = Arrays.copyOfRange(data, 1, data.length);
        List<String> whole = read(frames, frames.length, agreement);
        int cut = 1 + (data[0] >> 2 & 63) % frames.length;
        List<String> split = read(frames, cut, agreement);
        if (!whole.equals(split)) {
            throw new AssertionError("cut at " + cut + ": " + split + " instead of " + whole);
        }
    }

    private static List<String> read(byte[] frames, int step, Agreement agreement) {
        var reader = new MessageReader(Role.SERVER, agreement, LIMIT, LIMIT);
        var events = new ArrayList<String>();
        byte[] held = {};
        for (int from = 0; from < frames.length; from += step) {
            int n = Math.min(step, frames.length - from);
            byte[] now = Arrays.copyOf(held, held.length + n);
            System.arraycopy(frames, from, now, held.length, n);
            int at = 0;
            while (true) {
                at = reader.read(now, at, now.length);
                Event event = reader.event();
                if (event == Event.NONE) {
                    break;
                }
                events.add(told(reader));
                if (event == Event.VIOLATION || event == Event.CLOSE) {
                    reader.end();
                    return events;
                }
            }
            held = Arrays.copyOfRange(now, at, now.length);
        }
        reader.end();
        return events;
    }

    private static String told(MessageReader reader) {
        return switch (reader.event()) {
            case TEXT -> "text " + reader.text();
            case CLOSE -> "close " + reader.closeCode() + reader.closeReason();
            case VIOLATION -> reader.violation().name();
            default -> reader.event() + Arrays.toString(reader.payload());
        };
    }
}

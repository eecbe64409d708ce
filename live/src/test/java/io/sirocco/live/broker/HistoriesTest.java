// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Histories of very many rooms: what all of them take has a bound. */
class HistoriesTest {
    private static final int MESSAGE = 1_000;
    private static final int MAX = 100 * 2 * MESSAGE; // some hundred messages of a room each
    private static final Duration HOUR = Duration.ofHours(1);

    private final Histories histories = new Histories(MAX);
    private long number;

    private void write(String room, int messages) {
        Publication publication = Publications.history("x".repeat(MESSAGE), room, messages, HOUR);
        var position = new Position("epoch", Long.toString(++number));
        histories.add(number, new Replay.Message(position, publication), 0);
    }

    private Histories.Found in(String room) {
        return histories.since(new Room("/", room), 0, 1_000, 0);
    }

    @Test
    void theOldestMessagesOfAllRoomsAreForgottenAndTheirGapIsTold() {
        for (int i = 0; i < 1_000; i++) {
            write("room " + i, 10);
        }
        assertTrue(in("room 0").gap());
        assertTrue(in("room 0").messages().isEmpty());
        assertEquals(1, in("room 999").messages().size());
        int kept = 0;
        for (int i = 0; i < 1_000; i++) {
            kept += in("room " + i).messages().size();
        }
        assertTrue(kept > 30 && kept <= MAX / MESSAGE, kept + " messages");
    }

    /** What its own bounds have removed counts no more. */
    @Test
    void aRoomThatForgetsByItselfTakesNothingFromOthers() {
        write("quiet", 10);
        for (int i = 0; i < 10_000; i++) {
            write("busy", 20);
        }
        assertEquals(1, in("quiet").messages().size());
        assertFalse(in("quiet").gap());
        assertEquals(20, in("busy").messages().size());
    }

    @Test
    void aRoomThatWasForgottenBeginsAnew() {
        write("first", 10);
        for (int i = 0; i < 1_000; i++) {
            write("room " + i, 10);
        }
        write("first", 10);
        assertEquals(1, in("first").messages().size());
        assertTrue(in("first").gap());
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sirocco.live.broker.Member;
import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.broker.Room;
import io.sirocco.live.broker.Session;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The binary forms: as they are written down, and what becomes of bytes that are none. */
class EntryTest {
    private static final Publication SAID =
            new Publication(
                    "/",
                    Set.of("r"),
                    Set.of("x"),
                    "2[\"e\"]",
                    List.of(new byte[] {-1, 0}),
                    true,
                    List.of());

    @Test
    void theFormOfAMessageIsThis() {
        assertEquals(
                "01"
                        + "01" // version, kind
                        + "01" // kept
                        + "012f" // "/"
                        + "010172" // one room
                        + "010178" // but for one
                        + "06325b2265225d" // the event
                        + "0102ff00", // one attachment
                HexFormat.of().formatHex(Entry.said(SAID)));
    }

    @Test
    void theFormOfASessionIsThis() {
        Map<String, Position> rooms = Map.of("a", new Position("e", "5"));
        var since = new Position("e", "4");
        var replayed = Optional.of(new Session.Replayed(new Position("e", "7"), 2));
        var session =
                new Session("/", "p", "c", "", since, rooms, Map.of("name", "é"), replayed, 0);
        byte[] bytes = SessionForm.write(session);
        assertEquals(
                "04"
                        + "012f" // "/"
                        + "0170" // its pid
                        + "0163" // its client
                        + "00" // nobody in particular
                        + "03652e34" // "e.4", when it came
                        + "01016103652e35" // one room, and "e.5", when it joined
                        + "01046e616d6502c3a9" // one tag
                        + "0203652e37", // it was sent what is behind "e.7" twice
                HexFormat.of().formatHex(bytes));
        assertEquals(Optional.of(session), SessionForm.read(bytes));
        Map<String, Position> joined = Map.of("c", new Position("e", "6"));
        var change = new Session.Change("/", "p", 1, 2, joined, List.of("a"), Map.of("name", "n"));
        byte[] more = SessionForm.write(change);
        assertEquals(
                "02" + "0161" + "01" + "0163" + "03652e36" + "03" + "046e616d65" + "016e",
                HexFormat.of().formatHex(more));
        byte[] both = Arrays.copyOf(bytes, bytes.length + more.length);
        System.arraycopy(more, 0, both, bytes.length, more.length);
        assertEquals(
                Optional.of(
                        new Session(
                                "/",
                                "p",
                                "c",
                                "",
                                since,
                                joined,
                                Map.of("name", "n"),
                                replayed,
                                0)),
                SessionForm.read(both));
        bytes[0] = 1;
        assertEquals(Optional.empty(), SessionForm.read(bytes));
    }

    @Test
    void whatIsCutShortIsNothing() {
        byte[] whole = Entry.said(SAID);
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThrows(Form.Malformed.class, () -> Entry.read(part));
            assertInstanceOf(Entry.Unknown.class, new Found(new Offset(1, 1), part, null).entry());
        }
    }

    @Test
    void bytesByChanceAreReadOrMalformedAndNothingElse() {
        var random = new Random(5);
        for (int round = 0; round < 200_000; round++) {
            byte[] bytes = new byte[2 + random.nextInt(40)];
            random.nextBytes(bytes);
            bytes[0] = 1;
            bytes[1] = (byte) (1 + random.nextInt(5));
            for (int i = 2; i < bytes.length; i++) {
                bytes[i] = (byte) (random.nextBoolean() ? bytes[i] & 7 : bytes[i]);
            }
            try {
                Entry.read(bytes);
            } catch (Form.Malformed e) {
                assertInstanceOf(String.class, e.getMessage());
            }
        }
    }

    @Test
    void membersComeBackAsTheyWere() {
        var room = new Room("/a", "k");
        var member = new Member("c", "ada", "{}");
        byte[] bytes = Entry.member(room, member);
        assertEquals(member, Entry.member(bytes));
        byte[] joined = new byte[bytes.length + 2];
        joined[0] = 1;
        joined[1] = 3;
        System.arraycopy(bytes, 0, joined, 2, bytes.length);
        assertEquals(new Entry.Joined(room, member), Entry.read(joined));
    }

    @Test
    void namesAreNotTakenForEachOther() {
        assertArrayEquals("1:/kitchen".getBytes(), Names.of(new Room("/", "kitchen")));
        assertArrayEquals("2:/k:x".getBytes(), Names.of(new Room("/k", ":x")));
        assertArrayEquals("3:/k:x".getBytes(), Names.of(new Room("/k:", "x")));
        assertArrayEquals("3:é/é".getBytes(), Names.of("é/", "é"));
    }

    @Test
    void numbersAreAsLongAsTheyNeed() {
        for (int number : new int[] {0, 1, 127, 128, 16_383, 16_384, Integer.MAX_VALUE}) {
            byte[] bytes = new Form.Writer().number(number).done();
            assertEquals(number, new Form.Reader(bytes).number());
        }
        byte[] endless = {-1, -1, -1, -1, -1, -1};
        assertThrows(Form.Malformed.class, () -> new Form.Reader(endless).number());
    }
}

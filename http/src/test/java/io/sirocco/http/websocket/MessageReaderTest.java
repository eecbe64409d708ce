// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.websocket.MessageReader.Event;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames in, messages out, however the bytes arrive. */
final class MessageReaderTest {
    private static final int LIMIT = 1 << 20;
    private static final Agreement ALONE = new Agreement(false, false, 15, false);
    private static final Agreement CONTEXT = new Agreement(true, true, 15, false);

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replace(" ", ""));
    }

    /** What a server reads, in pieces that end at the places named. */
    private static List<String> read(MessageReader reader, byte[] all, int... cuts) {
        var events = new ArrayList<String>();
        byte[] held = {};
        int from = 0;
        for (int cut : cuts) {
            byte[] now = Arrays.copyOf(held, held.length + cut - from);
            System.arraycopy(all, from, now, held.length, cut - from);
            from = cut;
            int at = 0;
            while (true) {
                at = reader.read(now, at, now.length);
                if (reader.event() == Event.NONE) {
                    break;
                }
                events.add(told(reader));
                if (reader.event() == Event.VIOLATION || reader.event() == Event.CLOSE) {
                    return events;
                }
            }
            held = Arrays.copyOfRange(now, at, now.length);
            assertTrue(held.length <= 140, held.length + " bytes are left over");
        }
        return events;
    }

    private static String told(MessageReader reader) {
        return switch (reader.event()) {
            case TEXT -> "text " + reader.text();
            case BINARY -> "binary " + HexFormat.of().formatHex(reader.payload());
            case PING -> "ping " + new String(reader.payload(), UTF_8);
            case PONG -> "pong " + new String(reader.payload(), UTF_8);
            case CLOSE -> "close " + reader.closeCode() + " " + reader.closeReason();
            case VIOLATION -> reader.violation().name();
            case NONE -> throw new AssertionError();
        };
    }

    private static MessageReader ofClient() {
        return new MessageReader(Role.CLIENT, null, LIMIT, LIMIT);
    }

    private static MessageReader ofServer(Agreement agreement) {
        return new MessageReader(Role.SERVER, agreement, LIMIT, LIMIT);
    }

    private static List<String> fromServer(String frames, Agreement agreement) {
        byte[] all = hex(frames);
        List<String> whole = read(ofServer(agreement), all, all.length);
        for (int cut = 1; cut < all.length; cut++) {
            assertEquals(whole, read(ofServer(agreement), all, cut, all.length), "cut at " + cut);
        }
        return whole;
    }

    /** RFC 6455 5.7. */
    @ParameterizedTest
    @CsvSource({
        "810548656c6c6f, text Hello",
        "010348656c 80026c6f, text Hello",
        "890548656c6c6f, ping Hello",
        "8a0548656c6c6f, pong Hello",
        "8200, 'binary '",
        "8100, 'text '",
        "8800, 'close 1005 '",
        "880203e8, 'close 1000 '",
        "880503e8 627965, close 1000 bye",
    })
    void examplesOfTheStandard(String frames, String told) {
        assertEquals(List.of(told), fromServer(frames, null));
    }

    @Test
    void theMaskedExampleOfTheStandard() {
        byte[] frame = hex("818537fa213d7f9f4d5158");
        assertEquals(List.of("text Hello"), read(ofClient(), frame.clone(), frame.length));
        assertEquals(
                HexFormat.of().formatHex(frame),
                HexFormat.of().formatHex(Frame.masked(0x81, "Hello".getBytes(UTF_8), 0x37fa213d)));
    }

    /** RFC 7692 7.2.3. */
    @ParameterizedTest
    @CsvSource({
        "c107f248cdc9c90700, text Hello",
        "4103f248cd 8004c9c90700, text Hello",
        "c10b000500faff48656c6c6f00, text Hello",
        "c108f348cdc9c9070000, text Hello",
        "c10df248050000 00ffffcac9c90700, text Hello",
        "c10100, 'text '",
    })
    void compressedExamplesOfTheStandard(String frames, String told) {
        assertEquals(List.of(told), fromServer(frames, ALONE));
    }

    @Test
    void aContextIsTakenOver() {
        String frames = "c107f248cdc9c90700 c105f200110000";
        assertEquals(List.of("text Hello", "text Hello"), fromServer(frames, CONTEXT));
        assertEquals(List.of("text Hello", "BAD_COMPRESSION"), fromServer(frames, ALONE));
    }

    @ParameterizedTest
    @CsvSource({
        "8100, NOT_MASKED",
        "c180, RESERVED_BIT",
        "a180, RESERVED_BIT",
        "9180, RESERVED_BIT",
        "8380, RESERVED_OPCODE",
        "8780, RESERVED_OPCODE",
        "8b80, RESERVED_OPCODE",
        "8f80, RESERVED_OPCODE",
        "0980, CONTROL_FRAGMENTED",
        "89fe, CONTROL_TOO_LONG",
        "8080, NOTHING_TO_CONTINUE",
        "0080, NOTHING_TO_CONTINUE",
        "0181 00000000 61 8180, MESSAGE_IN_MESSAGE",
        "81fe 007d 00000000, BAD_LENGTH",
        "81ff 000000000000ffff 00000000, BAD_LENGTH",
        "81ff 8000000000010000 00000000, BAD_LENGTH",
        "81ff 0000000000100001 00000000, FRAME_TOO_LARGE",
        "81ff 7fffffffffffffff 00000000, FRAME_TOO_LARGE",
        "0181 00000000 61 80ff 0000000000100000 00000000, MESSAGE_TOO_LARGE",
        "8181 00000000 ff, NOT_UTF_8",
        "8181 00000000 c3, NOT_UTF_8",
        "0181 00000000 c3 0081 00000000 61, NOT_UTF_8",
        "0182 00000000 f490, NOT_UTF_8",
        "8881 00000000 03, CLOSE_CUT",
        "8882 00000000 03e7, BAD_CLOSE_CODE",
        "8882 00000000 03ed, BAD_CLOSE_CODE",
        "8882 00000000 03ee, BAD_CLOSE_CODE",
        "8882 00000000 03f7, BAD_CLOSE_CODE",
        "8882 00000000 1388, BAD_CLOSE_CODE",
        "8883 00000000 03e8ff, NOT_UTF_8",
    })
    void violations(String frames, String rule) {
        byte[] all = hex(frames);
        assertEquals(List.of(rule), read(ofClient(), all.clone(), all.length));
        for (int cut = 1; cut < all.length; cut++) {
            assertEquals(List.of(rule), read(ofClient(), all.clone(), cut, all.length));
        }
    }

    @Test
    void aServerMustNotMask() {
        assertEquals(List.of("MASKED"), fromServer("8180 00000000", null));
    }

    @Test
    void aReservedBitIsForTheFirstFrameOfAMessageOnly() {
        assertEquals(List.of("RESERVED_BIT"), fromServer("4103f248cd c004c9c90700", ALONE));
        assertEquals(List.of("RESERVED_BIT"), fromServer("c900", ALONE));
        assertEquals(List.of("RESERVED_BIT"), fromServer("c800", ALONE));
    }

    @Test
    void whatIsNoDeflateIsRefused() {
        assertEquals(List.of("BAD_COMPRESSION"), fromServer("c103ffffff", ALONE));
    }

    @Test
    void aBombIsStoppedAtTheLimit() {
        byte[] bomb = Deflation.deflate(new byte[LIMIT + 1], 15);
        assertTrue(bomb.length < 8_000, "a megabyte in " + bomb.length);
        byte[] frame = Frame.of(0xc2, bomb);
        assertEquals(List.of("MESSAGE_TOO_LARGE"), read(ofServer(ALONE), frame, frame.length));
        byte[] most = Frame.of(0xc2, Deflation.deflate(new byte[LIMIT], 15));
        assertEquals(1, read(ofServer(ALONE), most, most.length).size());
        assertEquals(2 * LIMIT + 7, read(ofServer(ALONE), most, most.length).getFirst().length());
    }

    /** Random messages in random frames with control frames between, cut at random places. */
    @Test
    void readsWhatAModelHasWritten() {
        modelled(0, 1_000);
    }

    @Tag("heavy")
    @Test
    void readsMoreThatAModelHasWritten() {
        modelled(1_000, 10_000);
    }

    private static void modelled(int from, int to) {
        for (int seed = from; seed < to; seed++) {
            var random = new Random(seed);
            Agreement agreement =
                    switch (random.nextInt(4)) {
                        case 0 -> CONTEXT;
                        case 1 -> ALONE;
                        case 2 -> new Agreement(true, true, 8 + random.nextInt(7), true);
                        default -> null;
                    };
            boolean ofClient = random.nextBoolean();
            var model = new Model(random, agreement, ofClient);
            for (int n = random.nextInt(1, 5); n > 0; n--) {
                model.message();
            }
            byte[] all = model.out.toByteArray();
            int[] cuts = random.ints(random.nextInt(6), 0, all.length).sorted().toArray();
            cuts = Arrays.copyOf(cuts, cuts.length + 1);
            cuts[cuts.length - 1] = all.length;
            var reader =
                    new MessageReader(
                            ofClient ? Role.CLIENT : Role.SERVER, agreement, LIMIT, LIMIT);
            assertEquals(model.told, read(reader, all, cuts), "seed " + seed);
            reader.end();
            model.end();
        }
    }

    /** Writes frames in the most straightforward way, and what is to be read of them. */
    private static final class Model {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final List<String> told = new ArrayList<>();
        private final Random random;
        private final Agreement agreement;
        private final boolean masks;
        private final Deflation context;

        Model(Random random, Agreement agreement, boolean masks) {
            this.random = random;
            this.agreement = agreement;
            this.masks = masks;
            this.context =
                    agreement != null && agreement.serverContext()
                            ? new Deflation(agreement.serverBits())
                            : null;
        }

        void end() {
            if (context != null) {
                context.end();
            }
        }

        void message() {
            boolean text = random.nextBoolean();
            int length = random.nextInt(10) == 0 ? random.nextInt(70_000) : random.nextInt(300);
            byte[] payload = new byte[length];
            random.nextBytes(payload);
            if (text) {
                var chars = new StringBuilder();
                for (int i = 0; i < length; i++) {
                    int c = random.nextInt(4) == 0 ? random.nextInt(0x10ffff) : 'a' + i % 7;
                    chars.appendCodePoint(c >= 0xd800 && c <= 0xdfff ? 'x' : c);
                }
                payload = chars.toString().getBytes(UTF_8);
            }
            told.add(
                    text
                            ? "text " + new String(payload, UTF_8)
                            : "binary " + HexFormat.of().formatHex(payload));
            boolean small = agreement != null && random.nextInt(3) > 0;
            if (small) {
                payload =
                        context != null
                                ? context.deflate(payload)
                                : Deflation.deflate(payload, agreement.serverBits());
            }
            int pieces = random.nextInt(4);
            int from = 0;
            String last = told.removeLast();
            for (int i = 0; i <= pieces; i++) {
                int to = i == pieces ? payload.length : random.nextInt(from, payload.length + 1);
                int first = i == 0 ? (text ? 1 : 2) | (small ? 0x40 : 0) : 0;
                frame(first | (i == pieces ? 0x80 : 0), Arrays.copyOfRange(payload, from, to));
                from = to;
                if (i < pieces && random.nextInt(3) == 0) {
                    boolean ping = random.nextBoolean();
                    told.add(ping ? "ping hi" : "pong hi");
                    frame(ping ? 0x89 : 0x8a, "hi".getBytes(UTF_8));
                }
            }
            told.add(last);
        }

        private void frame(int first, byte[] payload) {
            out.writeBytes(
                    masks
                            ? Frame.masked(first, payload, random.nextInt())
                            : Frame.of(first, payload));
        }
    }

    /** Whatever comes, it reads on or refuses, and never throws. */
    @Test
    void garbageIsReadOrRefused() {
        for (int seed = 0; seed < 10_000; seed++) {
            var random = new Random(seed);
            byte[] garbage = new byte[random.nextInt(400)];
            random.nextBytes(garbage);
            if (garbage.length > 1 && random.nextBoolean()) {
                garbage[0] = (byte) (0x81 + random.nextInt(2) | random.nextInt(2) << 6);
                garbage[1] |= (byte) 0x80;
            }
            Agreement agreement = random.nextBoolean() ? ALONE : CONTEXT;
            var reader = new MessageReader(Role.CLIENT, agreement, LIMIT, LIMIT);
            int at = 0;
            do {
                int next = reader.read(garbage, at, garbage.length);
                assertTrue(next >= at && next <= garbage.length, "seed " + seed);
                at = next;
            } while (reader.event() != Event.NONE
                    && reader.event() != Event.VIOLATION
                    && reader.event() != Event.CLOSE);
            reader.end();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is UTF-8, against the decoder of the JDK. */
final class Utf8Test {
    private final CharsetDecoder decoder = UTF_8.newDecoder();
    private final CharBuffer chars = CharBuffer.allocate(100);

    @Test
    void everyCharacterIsSo() {
        byte[] all = new byte[4 * 0x110000];
        int size = 0;
        for (int c = 0; c <= 0x10ffff; c++) {
            if (c < 0xd800 || c > 0xdfff) {
                byte[] one = Character.toString(c).getBytes(UTF_8);
                System.arraycopy(one, 0, all, size, one.length);
                size += one.length;
            }
        }
        assertEquals(Utf8.BOUNDARY, Utf8.check(Utf8.BOUNDARY, all, 0, size));
    }

    @Test
    void agreesWithTheJdkOnEverySequenceOfThreeBytes() {
        byte[] bytes = new byte[3];
        for (int i = 0; i < 1 << 24; i += 7) { // 7 is odd: all values of each byte come
            bytes[0] = (byte) (0x80 | i >>> 16);
            bytes[1] = (byte) (i >>> 8);
            bytes[2] = (byte) i;
            agrees(bytes);
        }
    }

    @Test
    void agreesWithTheJdkOnTextThatIsBroken() {
        var random = new Random(1);
        for (int round = 0; round < 100_000; round++) {
            var text = new StringBuilder();
            for (int n = random.nextInt(12); n >= 0; n--) {
                text.appendCodePoint(random.nextBoolean() ? 'a' : random.nextInt(0x10ffff));
            }
            byte[] bytes = text.toString().getBytes(UTF_8);
            if (random.nextBoolean()) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            agrees(bytes);
        }
    }

    private void agrees(byte[] bytes) {
        boolean whole = Utf8.check(Utf8.BOUNDARY, bytes, 0, bytes.length) == Utf8.BOUNDARY;
        assertEquals(decodes(bytes), whole, () -> HexFormat.of().formatHex(bytes));
        int state = Utf8.BOUNDARY;
        for (int i = 0; i < bytes.length && state != Utf8.BAD; i++) {
            state = Utf8.check(state, bytes, i, i + 1);
        }
        assertEquals(whole, state == Utf8.BOUNDARY, () -> HexFormat.of().formatHex(bytes));
    }

    private boolean decodes(byte[] bytes) {
        chars.clear();
        return !decoder.reset().decode(ByteBuffer.wrap(bytes), chars, true).isError();
    }

    /** The last byte of each is the first that cannot be. */
    @ParameterizedTest
    @CsvSource({"80", "c0", "c1", "f5", "ff", "e080", "eda0", "f080", "f490", "c241", "e28241"})
    void isRefusedAtTheFirstByteThatCannotBe(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertEquals(Utf8.BAD, Utf8.check(Utf8.BOUNDARY, bytes, 0, bytes.length));
        assertNotEquals(Utf8.BAD, Utf8.check(Utf8.BOUNDARY, bytes, 0, bytes.length - 1));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of RFC 1350. */
class PacketTest {
    private static byte[] bytes(String text) {
        return text.translateEscapes().getBytes(ISO_8859_1);
    }

    private static Packet parse(String text) {
        byte[] bytes = bytes(text);
        return Packet.parse(bytes, bytes.length);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    \\0\\1a:\\\\X\\0octet\\0                | Request[write=false, file=a:\\X, mode=OCTET]
                    \\0\\2x\\0netASCII\\0                   | Request[write=true, file=x, mode=NETASCII]
                    \\0\\1x\\0OCTET\\0blksize\\01400\\0     | Request[write=false, file=x, mode=OCTET]
                    \\0\\4\\1\\2                            | Ack[block=258]
                    \\0\\4\\377\\377                        | Ack[block=65535]
                    \\0\\5\\0\\1no\\0                       | Failure[code=1, text=no]
                    \\0\\5\\0\\1no                          | Failure[code=1, text=no]
                    \\0\\5\\0\\1n\\no\\0                    | Failure[code=1, text=n?o]
                    """)
    void isRead(String text, String expected) {
        assertEquals(expected, parse(text).toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\\0",
                "\\0\\1",
                "\\0\\1x\\0octet",
                "\\0\\1x",
                "\\0\\1x\\0",
                "\\0\\1\\0octet\\0",
                "\\0\\1x\\0mail\\0",
                "\\0\\1x\\ny\\0octet\\0", // a line of its own in a log
                "\\0\\1x\\0\\0",
                "\\1\\1x\\0octet\\0",
                "\\0\\6blksize\\01400\\0",
                "\\0\\0\\0\\0",
                "\\0\\4\\1",
                "hello"
            })
    void isInvalid(String text) {
        assertEquals(new Packet.Invalid(), parse(text));
    }

    @Test
    void dataHasAtMost512Bytes() {
        byte[] packet = new Packet.Data(7, new byte[512]).bytes();
        assertEquals(516, packet.length);
        var data = assertInstanceOf(Packet.Data.class, Packet.parse(packet, packet.length));
        assertEquals(7, data.block());
        assertEquals(512, data.content().length);
        assertEquals(new Packet.Invalid(), Packet.parse(new byte[] {0, 3, 0, 1}, 3));
        byte[] longer = new byte[517];
        longer[1] = 3;
        assertEquals(new Packet.Invalid(), Packet.parse(longer, longer.length));
    }

    @Test
    void isWritten() {
        assertArrayEquals(
                bytes("\\0\\2a/X\\0octet\\0"), new Packet.Request(true, "a/X", Mode.OCTET).bytes());
        assertArrayEquals(bytes("\\0\\4\\1\\2"), new Packet.Ack(258).bytes());
        assertArrayEquals(bytes("\\0\\3\\377\\377hi"), new Packet.Data(65535, bytes("hi")).bytes());
        assertArrayEquals(bytes("\\0\\5\\0\\1no\\0"), new Packet.Failure(1, "no").bytes());
    }

    @Test
    void anyBytesHaveAResult() {
        var random = new Random(3);
        for (int i = 0; i < 200_000; i++) {
            byte[] packet = new byte[random.nextInt(40)];
            random.nextBytes(packet);
            if (packet.length > 2) {
                packet[0] = 0;
                packet[1] = (byte) random.nextInt(7);
                packet[2 + random.nextInt(packet.length - 2)] = 0;
            }
            Packet.parse(packet, packet.length);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    one\\ntwo\\n | one\\r\\ntwo\\r\\n
                    a\\rb        | a\\r\\0b
                    a\\r\\nb     | a\\r\\0\\r\\nb
                    a\\r         | a\\r\\0
                    \\377\\0     | \\377\\0
                    """)
    void linesEndWithCrLfOnTheWire(String local, String sent) throws IOException {
        byte[] encoded = NetAscii.encoded(new ByteArrayInputStream(bytes(local))).readAllBytes();
        assertArrayEquals(bytes(sent), encoded);
        assertArrayEquals(bytes(local), decoded(encoded));
    }

    @Test
    void aCarriageReturnAloneIsKept() throws IOException {
        assertArrayEquals(bytes("a\\rb\\r"), decoded(bytes("a\\rb\\r")));
    }

    private static byte[] decoded(byte[] sent) throws IOException {
        var local = new ByteArrayOutputStream();
        try (var stream = NetAscii.decoded(local)) {
            stream.write(sent);
        }
        return local.toByteArray();
    }
}

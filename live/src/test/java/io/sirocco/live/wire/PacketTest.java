// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.wire.Packet.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples of the documents of Engine.IO 4 and Socket.IO 5, and what they do not allow. */
class PacketTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "0{\"token\":\"123\"}",
                "0/admin,{\"token\":\"123\"}",
                "1",
                "1/admin,",
                "2[\"foo\"]",
                "2/admin,[\"bar\"]",
                "212[\"foo\"]",
                "2/admin,456[\"project:delete\",123]",
                "312[\"bar\"]",
                "3/admin,456[]",
                "4/admin,{\"message\":\"Not authorized\"}",
                "4\"Not authorized\"",
                "51-[\"hello\",{\"_placeholder\":true,\"num\":0}]",
                "51-/admin,456[\"project:delete\",{\"_placeholder\":true,\"num\":0}]",
                "61-/admin,456[{\"_placeholder\":true,\"num\":0}]",
            })
    void theDocumentsExamplesAreReadAndWrittenTheSame(String text) throws WireException {
        assertEquals(text, Packet.parse(text).toString());
    }

    @Test
    void allPartsOfAPacketAreRead() throws WireException {
        Packet packet = Packet.parse("52-/a/b,13[\"x\",{},{}]");
        assertEquals(new Packet(Type.BINARY_EVENT, "/a/b", 13, 2, "[\"x\",{},{}]"), packet);
    }

    @Test
    void aNamespaceMayEndThePacket() throws WireException {
        assertEquals("/admin", Packet.parse("0/admin").namespace());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "7",
                "x",
                "2",
                "2{}",
                "3[]",
                "0[]",
                "1{}",
                "4",
                "5[\"a\"]",
                "5-[\"a\"]",
                "51[\"a\"]",
                "599999-[\"a\"]",
                "21234567890123456[\"a\"]",
                "08"
            })
    void whatIsNoPacketIsRefused(String text) {
        assertThrows(WireException.class, () -> Packet.parse(text));
    }

    @Test
    void aNamespaceWithoutAnEndIsRefused() {
        assertThrows(WireException.class, () -> Packet.parse("0/" + "a".repeat(300)));
    }

    @Test
    void anEventIsWholeWhenItsAttachmentsAre() throws WireException {
        var assembler = new Assembler(2, 100);
        assertTrue(assembler.text("52-[\"a\",{},{}]").isEmpty());
        assertTrue(assembler.binary(new byte[] {1}).isEmpty());
        Received received = assembler.binary(new byte[] {2, 3}).orElseThrow();
        assertArrayEquals(new byte[] {2, 3}, received.attachments().get(1));
        assertTrue(assembler.isEmpty());
    }

    @Test
    void attachmentsAreBoundedInNumberAndInBytes() throws WireException {
        assertThrows(WireException.class, () -> new Assembler(2, 100).text("53-[\"a\",{},{},{}]"));
        var small = new Assembler(2, 20);
        small.text("52-[\"a\",{},{}]");
        assertThrows(WireException.class, () -> small.binary(new byte[10]));
    }

    @Test
    void textAmongAttachmentsIsRefusedAndSoAreAttachmentsOfNothing() throws WireException {
        var assembler = new Assembler(2, 100);
        assertThrows(WireException.class, () -> assembler.binary(new byte[1]));
        assembler.text("51-[\"a\",{}]");
        assertThrows(WireException.class, () -> assembler.text("2[\"b\"]"));
    }

    @Test
    void aPayloadIsPacketsBetweenSeparators() throws WireException {
        List<EnginePacket> packets = packets("4hello\u001e2\u001ebAQIDBA==");
        assertEquals(new EnginePacket.Text(EnginePacket.Kind.MESSAGE, "hello"), packets.get(0));
        assertEquals(new EnginePacket.Text(EnginePacket.Kind.PING, ""), packets.get(1));
        assertArrayEquals(new byte[] {1, 2, 3, 4}, ((EnginePacket.Binary) packets.get(2)).bytes());
        var body = new StringBuilder();
        Payload.add(body, "4hello");
        Payload.add(body, "2");
        Payload.add(body, new byte[] {1, 2, 3, 4});
        assertEquals("4hello\u001e2\u001ebAQIDBA==", body.toString());
    }

    private static List<EnginePacket> packets(String body) throws WireException {
        byte[] bytes = (body + "rest of the buffer").getBytes(UTF_8);
        var packets = new Payload.Packets(bytes, body.getBytes(UTF_8).length);
        var all = new ArrayList<EnginePacket>();
        while (packets.hasNext()) {
            all.add(packets.next());
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\u001e", "4a\u001e", "9", "b!", "x"})
    void whatIsNoPayloadIsRefused(String body) {
        assertThrows(WireException.class, () -> packets(body));
    }

    @Test
    void nothingThatComesMakesAnythingButAWireException() {
        var random = new Random(20261122);
        String alphabet = "0123456789-/,[]{}\"ab=\u001e\u0000é_";
        for (int i = 0; i < 200_000; i++) {
            var text = new StringBuilder();
            for (int n = random.nextInt(24); n > 0; n--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            feed(text.toString());
        }
    }

    private static void feed(String text) {
        try {
            String again = Packet.parse(text).toString();
            assertEquals(Packet.parse(again).toString(), again);
        } catch (WireException e) {
            assertTrue(!e.getMessage().isEmpty());
        }
        try {
            packets(text);
        } catch (WireException e) {
            assertTrue(!e.getMessage().isEmpty());
        }
    }
}

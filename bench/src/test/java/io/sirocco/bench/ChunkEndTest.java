// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A body in chunks ends behind the empty line of its trailers, and nothing behind is touched. */
class ChunkEndTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0\n\n",
                "000000000000000000000000\n\n",
                "1\nx\n0\n\n",
                "a\n0123456789\n0\n\n",
                "A\n0123456789\n0\n\n",
                "00000000000000000000001a\nabcdefghijklmnopqrstuvwxyz\n0\n\n",
                "5;name\nhello\n0\n\n",
                "5 ; name = \"0\"\nhello\n0 \n\n",
                "5\t\nhello\n0\n\n",
                "2\n\n\n0\n\n",
                "6\n0\n\n0\n0\n\n",
                "0\nA: b\n\n",
                "0\nA: b\nLast: c\n\n",
                "0;x\n0\n\n",
                "5␊hello␊0␊␊"
            })
    void isFoundHoweverTheBytesAreCut(String block) {
        byte[] body = Reading.bytes(block);
        byte[] more = Reading.bytes(block + "0\n\nHTTP/1.1 200 OK\n");
        for (int cut = 0; cut <= body.length; cut++) {
            var chunks = new ChunkEnd();
            chunks.begin();
            int first = chunks.read(more, 0, cut);
            assertEquals(cut, first);
            assertEquals(cut == body.length, chunks.done(), "cut at " + cut);
            assertEquals(body.length, chunks.read(more, first, more.length), "cut at " + cut);
            assertTrue(chunks.done());
            assertFalse(chunks.malformed());
        }
    }

    /** A size that does not fit into a number must not come round to a small one. */
    @Test
    void aSizeMayBeLargeButNotTooLarge() {
        String most = "f".repeat(15);
        var chunks = new ChunkEnd();
        chunks.begin();
        byte[] bytes = Reading.bytes(most + "\nhello\n0\n\n");
        assertEquals(bytes.length, chunks.read(bytes, 0, bytes.length));
        assertFalse(chunks.done() || chunks.malformed());
        for (String size : new String[] {"10000000000000000", "8000000000000000", "f".repeat(16)}) {
            chunks.begin();
            bytes = Reading.bytes(size + "0000\nhello\n0\n\n");
            chunks.read(bytes, 0, bytes.length);
            assertTrue(chunks.malformed(), size);
        }
    }

    @Test
    void isReadyForTheNextBodyWhateverTheLastOneWas() {
        var chunks = new ChunkEnd();
        for (String before : new String[] {"0\n\n", "x", "5\nhel", "5", "5;a", "0\nT", "5␍"}) {
            chunks.begin();
            byte[] bytes = Reading.bytes(before);
            chunks.read(bytes, 0, bytes.length);
            chunks.begin();
            assertFalse(chunks.done() || chunks.malformed(), before);
            byte[] next = Reading.bytes("1\nx\n0\n\n");
            assertEquals(next.length, chunks.read(next, 0, next.length), before);
            assertTrue(chunks.done(), before);
        }
    }
}

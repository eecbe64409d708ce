// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.output.Chunks;
import io.sirocco.net.output.OutputChunk;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is put into a chunk, and where chunks come from. */
class ChunkTest {
    private final Arena arena = Arena.ofConfined();
    private final Chunks chunks = new Chunks(arena, new MemoryBudget(1 << 30), () -> {});

    @AfterEach
    void close() {
        arena.close();
    }

    private String put(java.util.function.Consumer<Chunk> action) {
        OutputChunk chunk = chunks.take();
        action.accept(chunk);
        String text = StandardCharsets.ISO_8859_1.decode(chunk.text(chunk.length())).toString();
        chunks.give(chunk);
        return text;
    }

    @Test
    void decimals() {
        long[] edges = {0, 1, 9, 10, 11, 99, 100, 101, Integer.MAX_VALUE, Long.MAX_VALUE};
        for (long value : edges) {
            assertEquals(Long.toString(value), put(chunk -> chunk.putDecimal(value)));
        }
        var random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            long value = random.nextLong() >>> 1 + random.nextInt(62);
            assertEquals(Long.toString(value), put(chunk -> chunk.putDecimal(value)));
        }
    }

    @Test
    void hexadecimals() {
        long[] edges = {0, 1, 9, 10, 15, 16, 17, 255, 256, 4095, 4096, Long.MAX_VALUE};
        for (long value : edges) {
            assertEquals(Long.toHexString(value), put(chunk -> chunk.putHex(value)));
        }
        var random = new Random(2);
        for (int i = 0; i < 10_000; i++) {
            long value = random.nextLong() >>> 1 + random.nextInt(62);
            assertEquals(Long.toHexString(value), put(chunk -> chunk.putHex(value)));
        }
    }

    @Test
    void textAndBytes() {
        assertEquals(
                "a\u00e9?\u0000b12",
                put(
                        chunk -> {
                            chunk.putLatin("a\u00e9\u20ac\u0000");
                            chunk.put((byte) 'b');
                            chunk.put("x12x".getBytes(StandardCharsets.US_ASCII), 1, 3);
                        }));
    }

    @Test
    void aSliceIsTakenPieceByPiece() {
        byte[] source = Rig.pattern(40_000);
        OutputChunk slice = chunks.of(source, 7, 39_000, false);
        int at = 7;
        while (slice.length() > 0) {
            OutputChunk chunk = chunks.take();
            chunk.takeFrom(slice);
            assertEquals(Math.min(Chunks.SIZE, 39_000 - at), chunk.length());
            assertEquals(source[at], chunk.text(1).get());
            at += chunk.length();
            chunks.give(chunk);
        }
        assertEquals(39_000, at);
        assertEquals(0, slice.remaining());
    }

    @Test
    void chunksAreLentWarmestFirstAndReused() {
        OutputChunk first = chunks.take();
        chunks.give(first);
        assertSame(first, chunks.take());
        assertEquals(16 * Chunks.SIZE, chunks.bytes());
        var lent = new ArrayDeque<OutputChunk>();
        for (int i = 0; i < 40; i++) {
            OutputChunk chunk = chunks.take();
            assertEquals(0, chunk.length());
            assertEquals(Chunks.SIZE, chunk.remaining());
            chunk.put(new byte[100]);
            assertTrue(lent.stream().noneMatch(other -> other.address() == chunk.address()));
            lent.add(chunk);
        }
        assertEquals(41, chunks.lent());
        lent.forEach(chunks::give);
        assertEquals(1, chunks.lent());
        assertEquals(48 * Chunks.SIZE, chunks.bytes());
        assertTrue(chunks.shrink(), "all of it was needed since the last look");
        assertEquals(48 * Chunks.SIZE, chunks.bytes());
        assertFalse(chunks.shrink());
        assertEquals(16 * Chunks.SIZE, chunks.bytes());
        for (int i = 0; i < 20; i++) {
            chunks.take();
        }
        assertEquals(32 * Chunks.SIZE, chunks.bytes());
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static io.sirocco.http.h1.Wire.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mutated streams mean the same to the production parsers and to the {@link Reference}. Set {@code
 * -Dsirocco.differential.seed} and {@code -Dsirocco.differential.count} to look elsewhere and
 * longer.
 */
class DifferentialTest {
    private static final long SEED = Long.getLong("sirocco.differential.seed", 20261121L);
    private static final int COUNT = Integer.getInteger("sirocco.differential.count", 2_000);

    @Test
    void mutatedStreamsMeanTheSameToBothReaders() {
        agree(SEED, COUNT);
    }

    @Tag("heavy")
    @Test
    void soDoMore() {
        agree(SEED + COUNT, 8_000);
    }

    private static void agree(long seed, int count) {
        int accepted = 0;
        int rejected = 0;
        for (int i = 0; i < count; i++) {
            Random random = new Random(seed + i);
            byte[] stream = mutated(random);
            try {
                Differential.check(stream);
                Differential.checkSplits(stream, splits(random, stream.length));
                if (i % 10 == 0) {
                    Differential.checkDribble(stream);
                }
            } catch (AssertionError | RuntimeException e) {
                String text = Wire.escaped(stream);
                throw new AssertionError("seed " + (seed + i) + ", \"" + text + "\"", e);
            }
            Reading reading = Connection.read(stream);
            accepted += reading.messages().size();
            rejected += reading.ending() == Reading.Ending.REJECTED ? 1 : 0;
        }
        // Mutations that all end in the same place would prove nothing.
        if (accepted < count / 5 || rejected < count / 5) {
            throw new AssertionError(accepted + " accepted, " + rejected + " rejected");
        }
    }

    private static byte[] mutated(Random random) {
        byte[] stream = wire(pick(random, Corpus.STREAMS));
        if (random.nextInt(4) == 0) {
            stream =
                    splice(
                            stream,
                            stream.length,
                            stream.length,
                            wire(pick(random, Corpus.STREAMS)));
        }
        for (int n = random.nextInt(4); n > 0; n--) {
            int from = random.nextInt(stream.length + 1);
            int to = Math.min(stream.length, from + random.nextInt(4));
            byte[] piece = pick(random, Corpus.PIECES).getBytes(StandardCharsets.ISO_8859_1);
            stream =
                    switch (random.nextInt(9)) {
                        case 0 -> splice(stream, from, to, new byte[0]);
                        case 1 -> splice(stream, from, from, piece);
                        case 2 -> splice(stream, from, to, piece);
                        case 3 ->
                                splice(
                                        stream,
                                        lineStart(stream, from),
                                        lineStart(stream, from),
                                        piece);
                        case 4 -> splice(stream, from, to, new byte[] {(byte) random.nextInt(256)});
                        case 5 -> Arrays.copyOf(stream, from);
                        case 6 -> splice(stream, from, from, repeated(random, stream, from, to));
                        default -> swapped(random, stream);
                    };
        }
        return stream;
    }

    /** Up to some hundred bytes, to meet the limits. */
    private static byte[] repeated(Random random, byte[] stream, int from, int to) {
        byte[] some = Arrays.copyOfRange(stream, from, to);
        return Wire.text(some).repeat(random.nextInt(150)).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** A word for another that stands in its place. */
    private static byte[] swapped(Random random, byte[] stream) {
        String[] pair = pick(random, Corpus.SWAPS).split(" -> ");
        return Wire.text(stream).replace(pair[0], pair[1]).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String pick(Random random, List<String> from) {
        return from.get(random.nextInt(from.size()));
    }

    private static int lineStart(byte[] stream, int p) {
        while (p > 0 && stream[p - 1] != '\n') {
            p--;
        }
        return p;
    }

    private static byte[] splice(byte[] stream, int from, int to, byte[] piece) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(stream, 0, from);
        out.writeBytes(piece);
        out.write(stream, to, stream.length - to);
        return out.toByteArray();
    }

    private static int[] splits(Random random, int length) {
        return random.ints(1 + random.nextInt(3), 0, length + 1).sorted().toArray();
    }
}

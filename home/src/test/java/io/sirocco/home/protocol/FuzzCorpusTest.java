// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.protocol;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The corpus of the fuzzer, and mutations of it: src/fuzz/README.md. */
class FuzzCorpusTest {
    private final Random random = new Random(7);

    private static List<byte[]> corpus() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/fuzz/resources/protocol"))) {
            List<byte[]> inputs = files.sorted().map(FuzzCorpusTest::read).toList();
            assertFalse(inputs.isEmpty());
            return inputs;
        }
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void everyDatagramOfTheCorpus() throws IOException {
        corpus().forEach(ProtocolFuzz::fuzzerTestOneInput);
    }

    @Test
    void mutations() throws IOException {
        mutate(50_000);
    }

    @Tag("heavy")
    @Test
    void tenMillionMutations() throws IOException {
        mutate(10_000_000);
    }

    private void mutate(int rounds) throws IOException {
        List<byte[]> corpus = corpus();
        for (int i = 0; i < rounds; i++) {
            byte[] input = corpus.get(random.nextInt(corpus.size())).clone();
            for (int changes = 1 + random.nextInt(4); changes > 0 && input.length > 0; changes--) {
                input = change(input);
            }
            ProtocolFuzz.fuzzerTestOneInput(input);
        }
    }

    private byte[] change(byte[] input) {
        int at = random.nextInt(input.length);
        return switch (random.nextInt(6)) {
            case 0 -> Arrays.copyOf(input, at);
            case 1 -> Arrays.copyOf(input, input.length + random.nextInt(20));
            case 2 -> Arrays.copyOfRange(input, at, input.length);
            default -> {
                input[at] =
                        random.nextBoolean()
                                ? (byte) random.nextInt(256)
                                : (byte) ": .0f\r\nq".charAt(random.nextInt(8));
                yield input;
            }
        };
    }
}

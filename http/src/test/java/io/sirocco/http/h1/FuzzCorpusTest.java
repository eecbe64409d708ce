// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sirocco.http.body.MultipartFuzz;
import io.sirocco.http.websocket.MessageReaderFuzz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What fuzzing once found worth keeping, fed to its targets again: src/fuzz/README.md. */
class FuzzCorpusTest {

    @Test
    void heads() throws IOException {
        feed("h1/head", HeadFuzz::fuzzerTestOneInput);
    }

    @Test
    void bodiesInChunks() throws IOException {
        feed("h1/chunked", ChunkedFuzz::fuzzerTestOneInput);
    }

    @Test
    void formsInParts() throws IOException {
        feed("multipart", MultipartFuzz::fuzzerTestOneInput);
    }

    @Test
    void framesOfWebSockets() throws IOException {
        feed("ws", MessageReaderFuzz::fuzzerTestOneInput);
    }

    private static void feed(String folder, Consumer<byte[]> target) throws IOException {
        List<Path> inputs;
        try (Stream<Path> files = Files.list(Path.of("src/fuzz/resources", folder))) {
            inputs = files.sorted().toList();
        }
        assertFalse(inputs.isEmpty());
        for (Path input : inputs) {
            target.accept(Files.readAllBytes(input));
        }
    }
}

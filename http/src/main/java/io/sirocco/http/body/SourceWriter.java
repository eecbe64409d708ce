// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import io.sirocco.http.BodySource;
import io.sirocco.http.BodyWriter;
import io.sirocco.http.loop.LoopTasks;
import java.io.IOException;
import java.io.OutputStream;

/** Adapts a source to a writer, which blocks its thread for each segment. */
public record SourceWriter(BodySource source) implements BodyWriter {
    @Override
    public void write(OutputStream out) throws IOException {
        try {
            for (byte[] piece; (piece = next()).length > 0; ) {
                out.write(piece);
            }
        } finally {
            source.close();
        }
    }

    private byte[] next() throws IOException {
        try {
            return LoopTasks.join(source.next().toCompletableFuture());
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("the source of the body failed: " + e.getMessage(), e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import io.sirocco.http.BodyFilter;
import io.sirocco.http.BodyWriter;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes a body through a filter. The output of the filter's close is sent if the body is complete,
 * and dropped if it is not: an incomplete body must not look complete. The filter is called by one
 * thread at a time. Any thread.
 */
public record FilteredWriter(BodyFilter filter, BodyWriter writer) implements BodyWriter {

    @Override
    public void write(OutputStream out) throws IOException, InterruptedException {
        var end = new End(out);
        try (OutputStream filtered = new SharedOutput(filter.wrap(end))) {
            try {
                writer.write(filtered);
            } catch (Throwable e) {
                end.broken = true;
                throw e;
            }
        }
    }

    /** Does not close {@code out}, which the server does. */
    private static final class End extends FilterOutputStream {
        boolean broken;
        private boolean cut; // a write has thrown, after which the filter may have lost input

        End(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int size) throws IOException {
            if (!broken) {
                refuseBehindCut();
                cut = true;
                out.write(bytes, from, size);
                cut = false;
            }
        }

        @Override
        public void flush() throws IOException {
            if (!broken) {
                refuseBehindCut();
                out.flush();
            }
        }

        private void refuseBehindCut() throws IOException {
            if (cut) {
                throw new IOException("an earlier part of the body was not sent");
            }
        }

        @Override
        public void close() {
            // not ours
        }
    }
}

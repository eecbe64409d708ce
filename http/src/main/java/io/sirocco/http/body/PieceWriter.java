// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import io.sirocco.http.BodySegment;
import io.sirocco.http.BodyWriter;
import io.sirocco.net.OpenFile;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes segments to a stream: reads the files, and releases them at the end. Used for one request.
 */
public record PieceWriter(Segments segments) implements BodyWriter {
    private static final int AT_ONCE = 64 << 10;

    @Override
    public void write(OutputStream out) throws IOException {
        var left = new java.util.ArrayDeque<>(segments.take());
        try {
            for (; !left.isEmpty(); release(left.poll())) {
                switch (left.peek()) {
                    case BodySegment.Bytes(byte[] bytes) -> out.write(bytes);
                    case BodySegment.Slice(byte[] bytes, int from, long length) ->
                            out.write(bytes, from, (int) length);
                    case BodySegment.Region region -> copy(region, out);
                }
            }
        } finally {
            left.forEach(PieceWriter::release);
        }
    }

    private static void release(BodySegment piece) {
        if (piece instanceof BodySegment.Region region) {
            region.file().release();
        }
    }

    private static void copy(BodySegment.Region region, OutputStream out) throws IOException {
        OpenFile file = region.file();
        byte[] some = new byte[(int) Math.min(AT_ONCE, Math.max(1, region.length()))];
        for (long at = 0; at < region.length(); ) {
            int most = (int) Math.min(some.length, region.length() - at);
            int n = file.read(some, 0, most, region.from() + at);
            if (n == 0) {
                throw new EOFException("the file has become shorter while it was sent");
            }
            out.write(some, 0, n);
            at += n;
        }
    }
}

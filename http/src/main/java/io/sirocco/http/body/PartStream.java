// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import io.sirocco.http.body.MultipartReader.Event;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/**
 * The data of one part, readable until the next part is requested. Used by one thread at a time.
 */
public final class PartStream extends InputStream {
    private final MultipartReader source;
    private byte[] bytes = new byte[0];
    private int at;
    private int end;
    private boolean ended;
    private boolean closed;
    private MultipartRule rejected;

    public PartStream(MultipartReader source) {
        this.source = source;
    }

    @Override
    public int read() throws IOException {
        return available(1) ? bytes[at++] & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        Objects.checkFromIndexSize(from, length, into.length);
        if (!available(length)) {
            return -1;
        }
        int count = Math.min(length, end - at);
        System.arraycopy(bytes, at, into, from, count);
        at += count;
        return count;
    }

    /** Skips the rest of the data and ends the stream. */
    public void skip() throws IOException {
        while (fill()) {
            at = end;
        }
        closed = true;
    }

    private boolean available(int length) throws IOException {
        if (closed) {
            throw new IOException("The next part has been asked for; read a part before.");
        }
        return length == 0 || fill();
    }

    private boolean fill() throws IOException {
        while (at == end && !ended) {
            if (rejected != null) {
                throw rejected.failure();
            }
            switch (source.next()) {
                case Event.Data(var slice, int from, int to) -> {
                    bytes = slice;
                    at = from;
                    end = to;
                }
                case Event.End() -> ended = true;
                case Event.Rejected(var rule) -> rejected = rule;
                case Event.Start _, Event.Done _ ->
                        throw new IllegalStateException("A part that does not end.");
            }
        }
        return at < end;
    }
}

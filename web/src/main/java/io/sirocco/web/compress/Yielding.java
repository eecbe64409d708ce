// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.compress;

import io.sirocco.net.Loop;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Passes on what is written in slices, and lets others run after each: compressing takes a
 * millisecond or so for a slice, and what compresses well never waits for the client, so that the
 * event loop would be blocked until the body ends. Used by one thread.
 */
final class Yielding extends FilterOutputStream {
    private static final int SLICE = 32 << 10;

    private int sinceYield;

    Yielding(OutputStream out) {
        super(out);
    }

    @Override
    public void write(int b) throws IOException {
        out.write(b);
        wrote(1);
    }

    @Override
    public void write(byte[] bytes, int from, int size) throws IOException {
        for (int at = from, end = from + size; at < end; ) {
            int n = Math.min(SLICE - sinceYield, end - at);
            out.write(bytes, at, n);
            at += n;
            wrote(n);
        }
    }

    private void wrote(int bytes) {
        sinceYield += bytes;
        if (sinceYield == SLICE) {
            sinceYield = 0;
            if (Loop.mayPark()) {
                Thread.yield();
            }
        }
    }

    @Override
    public void close() throws IOException {
        out.close(); // which flushes; the superclass would flush first, and so end a block in vain
    }
}

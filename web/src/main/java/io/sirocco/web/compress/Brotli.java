// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.compress;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.encoder.BrotliOutputStream;
import com.aayushatharva.brotli4j.encoder.Encoder;
import java.io.IOException;
import java.io.OutputStream;

/** Brotli by brotli4j, a native library. Any thread. */
final class Brotli {
    private static final int QUICK = 4;

    private static final int THOROUGH = 9;

    private Brotli() {}

    static boolean works() {
        Brotli4jLoader.ensureAvailability();
        return true;
    }

    static byte[] compress(byte[] content) throws IOException {
        works();
        return Encoder.compress(content, new Encoder.Parameters().setQuality(THOROUGH));
    }

    static OutputStream stream(OutputStream out) throws IOException {
        works();
        return new Flushing(out);
    }

    /** brotli4j passes on what it has, and does not flush what is behind it. */
    private static final class Flushing extends BrotliOutputStream {
        private final OutputStream out;

        Flushing(OutputStream out) throws IOException {
            super(out, new Encoder.Parameters().setQuality(QUICK));
            this.out = out;
        }

        @Override
        public void flush() throws IOException {
            super.flush();
            out.flush();
        }
    }
}

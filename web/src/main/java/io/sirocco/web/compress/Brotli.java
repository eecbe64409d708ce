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
        return new BrotliOutputStream(out, new Encoder.Parameters().setQuality(QUICK));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.compress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** gzip by the JDK. Any thread. */
final class Gzip {
    private static final int BUFFER = 8 << 10;
    private static final int QUICK = 4;
    private static final int THOROUGH = Deflater.BEST_COMPRESSION;

    private Gzip() {}

    static byte[] compress(byte[] content) throws IOException {
        var bytes = new ByteArrayOutputStream(content.length / 3 + 64);
        try (var out = new Leveled(bytes, THOROUGH)) {
            out.write(content);
        }
        return bytes.toByteArray();
    }

    static OutputStream stream(OutputStream out) throws IOException {
        return new Leveled(out, QUICK);
    }

    /**
     * The JDK's stream has no level of its own. Ends its native memory even if {@code out} fails.
     */
    private static final class Leveled extends GZIPOutputStream {
        Leveled(OutputStream out, int level) throws IOException {
            super(out, BUFFER, true);
            def.setLevel(level);
        }

        @Override
        public void close() throws IOException {
            try {
                super.close();
            } finally {
                def.end();
            }
        }
    }
}

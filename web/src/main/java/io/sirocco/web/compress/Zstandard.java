// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.compress;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import com.github.luben.zstd.util.Native;
import java.io.IOException;
import java.io.OutputStream;

/** Zstandard by zstd-jni, a native library. Any thread. */
final class Zstandard {
    private static final int QUICK = 3;

    /** Up to this level the window is 8 MiB at most, which is what browsers take (RFC 9659). */
    private static final int THOROUGH = 12;

    private Zstandard() {}

    static boolean works() {
        Native.load();
        return true;
    }

    static byte[] compress(byte[] content) {
        return Zstd.compress(content, THOROUGH);
    }

    static OutputStream stream(OutputStream out) throws IOException {
        return new ZstdOutputStreamNoFinalizer(out, QUICK);
    }
}

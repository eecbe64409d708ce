// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import java.nio.charset.StandardCharsets;

/** Any bytes as a body in chunks: the decoder agrees with the reference, however they are split. */
public final class ChunkedFuzz {
    private static final byte[] HEAD =
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                    .getBytes(StandardCharsets.ISO_8859_1);

    private ChunkedFuzz() {}

    /** Called by Jazzer for each input. */
    public static void fuzzerTestOneInput(byte[] data) {
        byte[] stream = new byte[HEAD.length + data.length];
        System.arraycopy(HEAD, 0, stream, 0, HEAD.length);
        System.arraycopy(data, 0, stream, HEAD.length, data.length);
        Differential.check(stream);
        Differential.checkSplits(stream, HEAD.length + data.length / 2);
        Differential.checkSplits(
                stream, HEAD.length + data.length / 3, stream.length - data.length / 4);
        if (data.length <= 100) {
            Differential.checkDribble(stream);
        }
    }
}

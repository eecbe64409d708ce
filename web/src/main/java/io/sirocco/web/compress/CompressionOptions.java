// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.compress;

import java.util.List;

/** What {@link Compression} compresses, and with what. Used by one thread, then frozen. */
public final class CompressionOptions {
    List<Coding> codings = List.of(Coding.ZSTD, Coding.BROTLI, Coding.GZIP);
    long from = 1 << 10;
    TypeList types = TypeList.COMPRESSIBLE;

    CompressionOptions() {}

    /** The codings, in the order of preference: zstd, brotli, gzip. */
    public CompressionOptions codings(Coding... codings) {
        this.codings = List.of(codings);
        return this;
    }

    /** Bytes from which on a body is compressed, if its length is known: 1 KiB. */
    public CompressionOptions from(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException(
                    "The size from which on bodies are compressed is 0 or more, not "
                            + bytes
                            + ".");
        }
        this.from = bytes;
        return this;
    }

    /** Media types that are compressed, such as {@code text/*}. */
    public CompressionOptions types(String... types) {
        this.types = TypeList.of(List.of(types));
        return this;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.compress;

import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Optional;

/**
 * A content coding that bodies are compressed with (RFC 9110 8.4.1). gzip is the JDK's; the other
 * two need a native library, which is loaded when it is used for the first time. Any thread.
 */
public enum Coding {
    /** RFC 1952. */
    GZIP("gzip", ".gz") {
        @Override
        boolean works() {
            return true;
        }

        @Override
        public byte[] compress(byte[] content) throws IOException {
            return Gzip.compress(content);
        }

        @Override
        public OutputStream stream(OutputStream out) throws IOException {
            return Gzip.stream(out);
        }
    },
    /** RFC 7932. */
    BROTLI("br", ".br") {
        @Override
        boolean works() {
            return Brotli.works();
        }

        @Override
        public byte[] compress(byte[] content) throws IOException {
            return Brotli.compress(content);
        }

        @Override
        public OutputStream stream(OutputStream out) throws IOException {
            return Brotli.stream(out);
        }
    },
    /** RFC 8878, with a window that RFC 9659 allows. */
    ZSTD("zstd", ".zst") {
        @Override
        boolean works() {
            return Zstandard.works();
        }

        @Override
        public byte[] compress(byte[] content) {
            return Zstandard.compress(content);
        }

        @Override
        public OutputStream stream(OutputStream out) throws IOException {
            return Zstandard.stream(out);
        }
    };

    private static final LazyLogger LOG = LazyLogger.of(Coding.class);

    private final String token;
    private final String suffix;
    private volatile Boolean available;

    Coding(String token, String suffix) {
        this.token = token;
        this.suffix = suffix;
    }

    /** Its name in {@code Accept-Encoding} and {@code Content-Encoding}. */
    public String token() {
        return token;
    }

    /** What a compressed file's name has behind that of the file, with its dot. */
    public String suffix() {
        return suffix;
    }

    /** The coding of this token, or of this suffix without its dot; empty for any other text. */
    public static Optional<Coding> of(String name) {
        return Arrays.stream(values())
                .filter(c -> c.token.equals(name) || c.suffix.substring(1).equals(name))
                .findFirst();
    }

    /**
     * Returns whether it works on this machine. Where it does not the log says why, once, and it is
     * as if no client took it. May load a library at its first call, some tenths of a second.
     */
    public boolean available() {
        Boolean known = available;
        if (known == null) {
            known = probe();
            available = known;
        }
        return known;
    }

    /** Returns whether it is known not to work here; loads nothing. */
    public boolean ruledOut() {
        return Boolean.FALSE.equals(available);
    }

    private synchronized boolean probe() {
        if (available != null) {
            return available;
        }
        try {
            return works();
        } catch (LinkageError | RuntimeException e) {
            LOG.get().log(System.Logger.Level.WARNING, "no " + token + " on this machine: " + e);
            return false;
        }
    }

    /**
     * Compresses what will be sent many times: well, at the cost of some 10 to 100 ms for each
     * megabyte. The same bytes become the same bytes.
     */
    public abstract byte[] compress(byte[] content) throws IOException;

    /**
     * Compresses what is written and passes it on to {@code out}, quickly. Flushing sends all that
     * was written so far; closing ends the coding and closes {@code out}.
     */
    public abstract OutputStream stream(OutputStream out) throws IOException;

    abstract boolean works();
}

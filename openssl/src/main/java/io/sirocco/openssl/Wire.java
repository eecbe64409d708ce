// SPDX-License-Identifier: Apache-2.0
package io.sirocco.openssl;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * Where OpenSSL reads records from and writes them to: two pieces of memory (BIO_s_mem) that all
 * engines of a thread share, so that an idle connection has none. They are empty between two calls:
 * what is put in is for the connection at hand, and what comes out is taken at once. Confined to
 * its thread.
 */
final class Wire {
    private static final ThreadLocal<Wire> OF_THREAD = ThreadLocal.withInitial(Wire::new);
    private static final MethodHandle UP_REF = Ssl.function("BIO_up_ref");
    private static final MethodHandle SET_BIO = Ssl.function("SSL_set_bio");

    private final Arena arena = Arena.ofAuto();
    private final long in = memory();
    private final long out = memory();
    private final byte[] gathered = new byte[17 << 10];

    private Wire() {}

    static Wire ofThread() {
        return OF_THREAD.get();
    }

    private long memory() {
        long bio = Ssl.call("BIO_new", Ssl.call("BIO_s_mem", 0, 0, 0, 0), 0, 0, 0);
        MemorySegment.ofAddress(bio)
                .reinterpret(arena, own -> Ssl.call("BIO_free", own.address(), 0, 0, 0));
        return bio;
    }

    /** Has {@code ssl} use it, as long as it is there. */
    void attach(long ssl) {
        Ssl.call(UP_REF, in, 0, 0, 0);
        Ssl.call(UP_REF, out, 0, 0, 0);
        Ssl.call(SET_BIO, ssl, in, out, 0);
    }

    /** Room for plain text that lies in several places. */
    byte[] gathered() {
        return gathered;
    }

    void give(MemorySegment record) {
        Ssl.give(in, record);
    }

    /** Bytes that it was given and that were not read. */
    int unread() {
        return Ssl.pending(in);
    }

    /** Bytes that are to be sent. */
    int waiting() {
        return Ssl.pending(out);
    }

    /** Takes what is to be sent, as far as there is room; answers how many bytes. */
    int take(MemorySegment into) {
        return Math.max(0, Ssl.take(out, into));
    }

    /** Takes the rest of it; null when there is none. */
    byte[] takeAll() {
        int length = waiting();
        if (length == 0) {
            return null;
        }
        var bytes = new byte[length];
        int taken = take(MemorySegment.ofArray(bytes));
        return taken == length ? bytes : Arrays.copyOf(bytes, taken);
    }

    /** Forgets what was not read: its connection has failed. */
    void forget() {
        Ssl.reset(in);
    }
}

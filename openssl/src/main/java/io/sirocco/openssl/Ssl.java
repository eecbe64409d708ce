// SPDX-License-Identifier: Apache-2.0
package io.sirocco.openssl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The functions of OpenSSL that are used here, by their own names (see their pages in section 3ssl
 * of the manual). Addresses are plain numbers, as in {@code io.sirocco.net.Linux}, and for the same
 * reason there is one shape for nearly all of them. Any thread; what they are given is mostly not.
 */
final class Ssl {
    static final int ERROR_WANT_READ = 2;
    static final int ERROR_ZERO_RETURN = 6;
    static final int TLS1_2 = 0x0303;
    static final int TLS1_3 = 0x0304;
    static final int EXT_OK = 0;
    static final int EXT_FATAL = 2;

    private static final long INIT_NO_ATEXIT = 0x0008_0000;
    private static final int BIO_RESET = 1;
    private static final int BIO_PENDING = 10;

    private static final Linker LINKER = Linker.nativeLinker();

    private static final FunctionDescriptor SHAPE =
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

    /** Of those that are given an array. They are short, and call nothing of ours. */
    private static final FunctionDescriptor WITH_ARRAY =
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, ADDRESS, JAVA_INT);

    private static final MethodHandle BIO_READ = withArray("BIO_read");
    private static final MethodHandle BIO_WRITE = withArray("BIO_write");
    private static final MethodHandle SSL_READ = withArray("SSL_read");
    private static final MethodHandle SSL_WRITE = withArray("SSL_write");
    private static final MethodHandle BIO_CTRL = function("BIO_ctrl");
    private static final MethodHandle CLEAR_ERROR = function("ERR_clear_error");
    private static final MethodHandle DO_HANDSHAKE = function("SSL_do_handshake");
    private static final MethodHandle GET_ERROR = function("SSL_get_error");
    private static final MethodHandle NEW = function("SSL_new");
    private static final MethodHandle FREE = function("SSL_free");
    private static final MethodHandle NEXT_ERROR = function("ERR_get_error");
    private static final MethodHandle REASON = function("ERR_reason_error_string");

    static {
        // Else it is torn down by exit() under the feet of loops that still use it.
        call("OPENSSL_init_crypto", INIT_NO_ATEXIT, 0, 0, 0);
        call("OPENSSL_init_ssl", INIT_NO_ATEXIT, 0, 0, 0);
    }

    private Ssl() {}

    private static MemorySegment address(String name) {
        return Library.symbols().findOrThrow(name);
    }

    static MethodHandle function(String name) {
        return LINKER.downcallHandle(address(name), SHAPE);
    }

    private static MethodHandle withArray(String name) {
        return LINKER.downcallHandle(address(name), WITH_ARRAY, Linker.Option.critical(true));
    }

    static long call(MethodHandle function, long a, long b, long c, long d) {
        try {
            return (long) function.invokeExact(a, b, c, d);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** One that is seldom called: to find and to link it takes a good part of a millisecond. */
    static long call(String function, long a, long b, long c, long d) {
        return call(function(function), a, b, c, d);
    }

    /**
     * A function for OpenSSL to call back: {@code method} of {@code target}, which must not throw.
     */
    static long callback(
            MethodHandles.Lookup lookup, Object target, String method, int arguments, Arena arena) {
        var layouts = new java.lang.foreign.MemoryLayout[arguments];
        java.util.Arrays.fill(layouts, JAVA_LONG);
        var shape = FunctionDescriptor.of(JAVA_INT, layouts);
        MethodType type = shape.toMethodType();
        try {
            MethodHandle handle = lookup.bind(target, method, type);
            return LINKER.upcallStub(handle, shape, arena).address();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    // ---- connections

    static long create(long context) {
        return call(NEW, context, 0, 0, 0);
    }

    static void free(long ssl) {
        call(FREE, ssl, 0, 0, 0);
    }

    static void clearErrors() {
        call(CLEAR_ERROR, 0, 0, 0, 0);
    }

    static int shakeHands(long ssl) {
        return (int) call(DO_HANDSHAKE, ssl, 0, 0, 0);
    }

    /** What kind of result the last call on {@code ssl} had. */
    static int error(long ssl, int result) {
        return (int) call(GET_ERROR, ssl, result, 0, 0);
    }

    /** Plain text of a connection whose handshake is done, into {@code array} from its start on. */
    static int read(long ssl, byte[] array) {
        return withArray(SSL_READ, ssl, MemorySegment.ofArray(array), array.length);
    }

    static int write(long ssl, MemorySegment text) {
        return withArray(SSL_WRITE, ssl, text, (int) text.byteSize());
    }

    // ---- memory that it reads from and writes to

    static int pending(long bio) {
        return (int) call(BIO_CTRL, bio, BIO_PENDING, 0, 0);
    }

    /** Forgets what is in it. */
    static void reset(long bio) {
        call(BIO_CTRL, bio, BIO_RESET, 0, 0);
    }

    static int take(long bio, MemorySegment into) {
        return withArray(BIO_READ, bio, into, (int) into.byteSize());
    }

    static int give(long bio, MemorySegment from) {
        return withArray(BIO_WRITE, bio, from, (int) from.byteSize());
    }

    private static int withArray(MethodHandle function, long a, MemorySegment bytes, int length) {
        try {
            return (int) function.invokeExact(a, bytes, length);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    // ---- words

    /** Memory at an address that it gave us. */
    static MemorySegment memory(long address, long length) {
        return MemorySegment.ofAddress(address).reinterpret(length);
    }

    /** A text that it owns; empty for none. */
    static String text(long address) {
        return address == 0 ? "" : memory(address, 1 << 16).getString(0);
    }

    /** Why the last call of this thread has failed. */
    static String reason() {
        long code = call(NEXT_ERROR, 0, 0, 0, 0);
        clearErrors();
        String words = text(call(REASON, code, 0, 0, 0));
        return words.isEmpty() ? "the reason was not told" : words;
    }

    static byte[] bytes(long address, int length) {
        return memory(address, length).toArray(JAVA_BYTE);
    }
}

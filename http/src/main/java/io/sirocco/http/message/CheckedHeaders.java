// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import io.sirocco.http.Headers;
import java.util.function.Function;

/**
 * Makes {@link Headers} of names and values that a parser has checked already, by rules of its own:
 * those of a multipart body are UTF-8, which no HTTP message may have. Any thread.
 */
public final class CheckedHeaders {
    private static Function<String[], Headers> maker; // set by the initialiser of Headers

    private CheckedHeaders() {}

    /** Returns headers of names and values in turn; the array must not change any more. */
    public static Headers of(String[] namesAndValues) {
        if (maker == null) {
            Headers.none(); // not in an initialiser here: two threads could wait for each other
        }
        return maker.apply(namesAndValues);
    }

    /** Called once, by {@link Headers}. */
    public static void maker(Function<String[], Headers> maker) {
        CheckedHeaders.maker = maker;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.Request;

/** Lets the tests of other rooms cancel a handler as a timeout does. */
public final class Cancelling {
    private Cancelling() {}

    /** Returns what interrupts the handler of this request. Any thread. */
    public static Runnable of(Request request) {
        return ((RequestMessage) request).exchange::cancel;
    }
}

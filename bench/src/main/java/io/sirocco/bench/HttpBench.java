// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import java.io.IOException;
import java.util.function.Consumer;

/** Puts a load of HTTP/1.1 requests on a server, and measures. Any thread. */
public final class HttpBench {
    private HttpBench() {}

    /**
     * Does what {@code load} says; returns when it is done, or the thread is interrupted, with what
     * was measured until then.
     *
     * @param progress told about once a second, on another thread
     * @throws IOException when no loop can be started, or not one connection can be opened
     */
    public static Result run(Load load, Consumer<Result.Second> progress) throws IOException {
        throw new UnsupportedOperationException("to be written");
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.io.IOException;

/** One process's share of the connections. Used by one thread. Interrupts do not end its calls. */
sealed interface Part extends AutoCloseable permits OwnPart, ChildPart {

    /** Begins to open them. */
    void begin() throws IOException;

    /**
     * How they stand.
     *
     * @throws IOException when the process has died
     */
    Report report() throws IOException;

    /** Stops all requests; the connections stay open. */
    void rest() throws IOException;

    /** Bytes that live on the heap of its JVM, after a collection. */
    long liveHeap() throws IOException;

    /** The process that it lives in. */
    long pid();

    /** Begins to close the connections, so that several parts close at the same time. */
    void end();

    /** Closes the connections; returns when that is done. */
    @Override
    void close();
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.io.IOException;

/**
 * Receives the outcome of {@link Loop#connect}: the loop calls one of the two methods, once, and
 * never from within {@code connect}. Loop-confined.
 */
public interface Connector {

    /** Returns the protocol of a connection that is open. May already write to it. */
    Protocol connected(Connection connection);

    /**
     * Reports that there is no connection: it was refused, the host is unreachable or did not
     * respond in time, the process is out of descriptors, or the loop is stopping.
     */
    void failed(IOException why);
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/** Sends back what comes in, no faster than it is taken. */
public final class Echo implements Protocol {
    public Echo() {}

    @Override
    public int received(Connection connection, byte[] bytes, int from, int to) {
        connection.write(bytes, from, to);
        if (connection.isCongested()) {
            connection.suspend();
        }
        return to;
    }

    @Override
    public void drained(Connection connection) {
        connection.resume();
    }
}

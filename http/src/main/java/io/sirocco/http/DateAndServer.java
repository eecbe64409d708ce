// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * The lines {@code Date} and {@code Server}, written once a second for all loops of a server: for
 * one second it is the same array, so that what was encoded with it can be told from what is stale.
 * Any thread.
 */
final class DateAndServer {
    private final String server;
    private long second = Long.MIN_VALUE;
    private byte[] lines;

    /** With no {@code Server} if that is empty. */
    DateAndServer(String server) {
        this.server = server.isEmpty() ? "" : "Server: " + server + "\r\n";
    }

    synchronized byte[] at(long epochSecond) {
        if (epochSecond != second) {
            lines =
                    ("Date: " + HttpDate.format(epochSecond) + "\r\n" + server)
                            .getBytes(ISO_8859_1);
            second = epochSecond;
        }
        return lines;
    }
}

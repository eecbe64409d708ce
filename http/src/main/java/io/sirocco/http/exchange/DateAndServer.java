// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.HttpDate;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The headers {@code Date} and {@code Server}, encoded once a second for all loops of a server. All
 * calls within one second return the same array, so that a cached encoding can be compared by
 * identity. Any thread.
 */
public final class DateAndServer {
    private final String server;
    private final AtomicReference<Lines> newest = new AtomicReference<>(new Lines(-1, null));

    private record Lines(long second, byte[] bytes) {}

    /** Omits {@code Server} if it is empty. */
    public DateAndServer(String server) {
        this.server = server.isEmpty() ? "" : "Server: " + server + "\r\n";
    }

    /** Returns the headers. Never waits, because it is called while a loop writes a response. */
    byte[] at(long epochSecond) {
        Lines known = newest.get();
        if (known.second == epochSecond) {
            return known.bytes;
        }
        String date = "Date: " + HttpDate.format(epochSecond) + "\r\n";
        var made = new Lines(epochSecond, (date + server).getBytes(ISO_8859_1));
        Lines others = newest.compareAndExchange(known, made);
        return others.second == epochSecond ? others.bytes : made.bytes;
    }
}

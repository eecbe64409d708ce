// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.HttpDate;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The lines {@code Date} and {@code Server}, written once a second for all loops of a server: for
 * one second it is the same array, so that what was encoded with it can be told from what is stale.
 * Any thread.
 */
public final class DateAndServer {
    private final String server;
    private final AtomicReference<Lines> newest = new AtomicReference<>(new Lines(-1, null));

    private record Lines(long second, byte[] bytes) {}

    /** With no {@code Server} if that is empty. */
    public DateAndServer(String server) {
        this.server = server.isEmpty() ? "" : "Server: " + server + "\r\n";
    }

    /** Waits for nobody, since it is called in the midst of what a loop writes. */
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

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/** An ordinary client: asks for a small page again and again, and measures how long each takes. */
final class Pinger {
    private final int port;
    private volatile boolean stopped;

    /**
     * Nanoseconds. A hiccup is how much later than asked for an idle thread of this process woke:
     * the machine's own share, and no server's.
     */
    record Latencies(int count, long p50, long p99, long most, long hiccup) {
        @Override
        public String toString() {
            return "%d requests, p50 %.2f ms, p99 %.2f ms, longest %.2f ms, longest hiccup %.2f ms"
                    .formatted(count, p50 / 1e6, p99 / 1e6, most / 1e6, hiccup / 1e6);
        }
    }

    private static final class Hiccups extends Thread {
        private volatile boolean ended;
        private volatile long most;

        @Override
        public void run() {
            while (!ended) {
                long began = System.nanoTime();
                LockSupport.parkNanos(1_000_000);
                most = Math.max(most, System.nanoTime() - began - 1_000_000);
            }
        }

        long end() {
            ended = true;
            return most;
        }
    }

    Pinger(int port) {
        this.port = port;
    }

    void stop() {
        stopped = true;
    }

    /** On one connection, a request every so many milliseconds, for so long. */
    Latencies run(long millis, long pause) throws IOException {
        try (var crowd = new Crowd(port)) {
            crowd.grow(1, Crowd.HELLO);
            return measure(millis, pause, () -> crowd.ask(Crowd.HELLO));
        }
    }

    /** On a new connection for each. */
    Latencies runAnew(long millis, long pause) throws IOException {
        return measure(
                millis,
                pause,
                () -> {
                    try (var crowd = new Crowd(port)) {
                        crowd.grow(1, Crowd.HELLO);
                    }
                });
    }

    private interface Request {
        void make() throws IOException;
    }

    private Latencies measure(long millis, long pause, Request request) throws IOException {
        long end = System.nanoTime() + millis * 1_000_000;
        long[] nanos = new long[1024];
        int count = 0;
        var hiccups = new Hiccups();
        hiccups.setDaemon(true);
        hiccups.start();
        do { // one at least, however soon it is stopped
            long began = System.nanoTime();
            request.make();
            if (count == nanos.length) {
                nanos = Arrays.copyOf(nanos, count * 2);
            }
            nanos[count++] = System.nanoTime() - began;
            LockSupport.parkNanos(pause * 1_000_000);
        } while (System.nanoTime() < end && !stopped);
        Arrays.sort(nanos, 0, count);
        return new Latencies(
                count,
                nanos[count / 2],
                nanos[(int) (count * 0.99)],
                nanos[count - 1],
                hiccups.end());
    }
}

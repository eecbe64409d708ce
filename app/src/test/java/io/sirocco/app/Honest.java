// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A client that asks for a page again and again, each time on a new connection. */
final class Honest implements AutoCloseable {
    private final int port;
    private final String path;
    private final List<Long> micros = new ArrayList<>(); // guarded by itself
    private final List<String> failures = new ArrayList<>(); // guarded by itself
    private final Thread thread;
    private volatile boolean done;

    Honest(int port, String path) {
        this.port = port;
        this.path = path;
        thread = Thread.ofPlatform().daemon().start(this::ask);
    }

    private void ask() {
        while (!done) {
            long began = System.nanoTime();
            try {
                int status = Client.get(port, path).status();
                synchronized (micros) {
                    micros.add((System.nanoTime() - began) / 1000);
                }
                if (status != 200) {
                    fail("status " + status);
                }
            } catch (IOException | AssertionError e) {
                fail(e.toString());
            }
            LockSupport.parkNanos(2_000_000);
        }
    }

    private void fail(String why) {
        synchronized (failures) {
            failures.add(why);
        }
    }

    /** What was not answered with 200. */
    List<String> failures() {
        synchronized (failures) {
            return List.copyOf(failures);
        }
    }

    int answers() {
        synchronized (micros) {
            return micros.size();
        }
    }

    /** Milliseconds within which {@code share} of the requests were answered. */
    double millis(double share) {
        synchronized (micros) {
            List<Long> sorted = micros.stream().sorted().toList();
            return sorted.get((int) Math.min(sorted.size() - 1, sorted.size() * share)) / 1e3;
        }
    }

    @Override
    public void close() {
        done = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.life;

import io.sirocco.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What this process holds of the system's means: threads of servers, and open descriptors. */
record Footprint(long threads, long descriptors) {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    static Footprint now() {
        long threads =
                Thread.getAllStackTraces().keySet().stream()
                        .filter(
                                thread ->
                                        thread.getName()
                                                .matches(".+-(loop|pool|orphan|watchdog).*"))
                        .count();
        return new Footprint(threads, count());
    }

    private static long count() {
        if (!Files.isDirectory(DESCRIPTORS)) {
            return 0; // not Linux: nothing tells
        }
        try (Stream<Path> all = Files.list(DESCRIPTORS)) {
            return all.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The kernel lets go of rings and sockets a moment after they are closed. */
    void isReachedAgain() {
        Eventually.await(
                "back at " + this + " from " + now(),
                () -> {
                    Footprint now = now();
                    return now.threads <= threads && now.descriptors <= descriptors;
                });
    }
}

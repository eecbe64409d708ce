// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import io.sirocco.http.QuietLogs;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

/** What is logged, at every level. Any thread. */
public final class CapturedLog implements AutoCloseable {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final BiConsumer<String, Throwable> reader = (message, thrown) -> lines.add(message);

    /** Begins to listen. */
    public CapturedLog() {
        QuietLogs.READERS.add(reader);
    }

    /** Adds a line that does not reach the log of the program. */
    void add(Level level, String line) {
        lines.add(line);
    }

    /** Returns the lines with a text. */
    public List<String> containing(String text) {
        return lines.stream().filter(line -> line.contains(text)).toList();
    }

    @Override
    public void close() {
        QuietLogs.READERS.remove(reader);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The end of a log: where the reason stands when a program has failed. */
final class LogTail {
    private static final int MAX_BYTES = 8192;
    private static final int MAX_CHARS = 200;

    private LogTail() {}

    /** The last line of a file that is not blank; empty when there is none, or no file. */
    static String lastLine(Path log) {
        try (var file = new RandomAccessFile(log.toFile(), "r")) {
            var tail = new byte[(int) Math.min(MAX_BYTES, file.length())];
            file.seek(file.length() - tail.length);
            file.readFully(tail);
            return lastLine(new String(tail, StandardCharsets.UTF_8));
        } catch (IOException unreadable) {
            return "";
        }
    }

    /** The last line that is not blank, without colours, and cut when it is long. */
    static String lastLine(String text) {
        String last =
                text.replaceAll("\u001b\\[[0-9;?]*[A-Za-z]", "")
                        .lines()
                        .map(String::strip)
                        .filter(line -> !line.isEmpty())
                        .reduce("", (earlier, later) -> later);
        return last.length() <= MAX_CHARS ? last : last.substring(0, MAX_CHARS) + "...";
    }
}

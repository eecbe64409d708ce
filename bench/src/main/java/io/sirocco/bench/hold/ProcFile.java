// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a file of /proc said when it was read. Immutable. */
record ProcFile(String text) {

    static ProcFile read(Path file) throws IOException {
        return new ProcFile(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
    }

    /**
     * Of a line {@code name: 123 kB}, where k is 1024.
     *
     * @throws IOException when there is no such line
     */
    long bytes(String name) throws IOException {
        Matcher line = Pattern.compile("(?m)^" + name + ":\\s+(\\d+) kB").matcher(text);
        if (!line.find()) {
            throw new IOException("there is no " + name);
        }
        return Long.parseLong(line.group(1)) << 10;
    }
}

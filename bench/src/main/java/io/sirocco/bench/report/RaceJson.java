// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import tools.jackson.core.JacksonException;

/**
 * A {@link Race} as JSON: one object whose members are the components of the records, in their
 * order; units are theirs. A point of a curve is an array of percent and microseconds. Any thread.
 */
public final class RaceJson {
    private RaceJson() {}

    /** The text, which ends with a line feed; the same race has the same text. */
    public static String write(Race race) {
        return Json.MAPPER.writeValueAsString(race) + "\n";
    }

    /** Writes it to {@code file}, over what is there. */
    public static void write(Race race, Path file) throws IOException {
        Files.writeString(file, write(race));
    }

    /**
     * Reads what {@link #write} wrote. Members that it does not know are skipped.
     *
     * @throws IOException when it is no race: no JSON, or a member is missing or has another type
     */
    public static Race read(String json) throws IOException {
        try {
            return Optional.ofNullable(Json.MAPPER.readValue(json, Race.class))
                    .orElseThrow(() -> new IOException("this is no race: null"));
        } catch (JacksonException e) {
            throw new IOException("this is no race: " + e.getOriginalMessage(), e);
        }
    }

    /** Reads {@code file}; throws what {@link #read(String)} throws, naming the file. */
    public static Race read(Path file) throws IOException {
        try {
            return read(Files.readString(file));
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }
}

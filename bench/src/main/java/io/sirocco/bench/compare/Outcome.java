// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.report.Race;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** What a race leaves behind: {@code race.json} in its folder, and a line that says so. */
public final class Outcome {
    private Outcome() {}

    /**
     * Writes it all.
     *
     * @throws IOException when the folder cannot be written
     */
    public static void write(Race race, Path folder, PrintWriter out) throws IOException {
        Path json = folder.resolve("race.json");
        var mapper = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
        try {
            Files.writeString(json, mapper.writeValueAsString(race) + "\n");
        } catch (JacksonException e) {
            throw new IOException("cannot write " + json + ": " + e.getMessage(), e);
        }
        out.println("written: " + json);
        out.flush();
    }
}

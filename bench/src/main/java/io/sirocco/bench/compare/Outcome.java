// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.report.Race;
import io.sirocco.bench.report.RaceJson;
import io.sirocco.bench.report.RacePage;
import io.sirocco.bench.report.RaceTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a race leaves behind: its table on the terminal, {@code race.json} and {@code race.html} in
 * its folder, and a line that says where.
 */
public final class Outcome {
    private Outcome() {}

    /**
     * Writes it all.
     *
     * @throws IOException when the folder cannot be written
     */
    public static void write(Race race, Path folder, PrintWriter out) throws IOException {
        Path json = folder.resolve("race.json");
        Path page = folder.resolve("race.html");
        RaceJson.write(race, json);
        Files.writeString(page, RacePage.of(race));
        out.println();
        out.print(RaceTable.of(race));
        out.println();
        out.println("written: " + page + " and " + json);
        out.flush();
    }
}

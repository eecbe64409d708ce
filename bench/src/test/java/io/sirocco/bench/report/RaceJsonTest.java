// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RaceJsonTest {
    @TempDir Path folder;

    @Test
    void whatIsWrittenIsRead() throws IOException {
        var race = SampleRace.without(SampleRace.full(), "hyper", "no \"cargo\"\n");
        assertEquals(race, RaceJson.read(RaceJson.write(race)));
        var file = folder.resolve("race.json");
        RaceJson.write(race, file);
        assertEquals(race, RaceJson.read(file));
    }

    @Test
    void membersKeepTheOrderOfTheRecords() {
        String json = RaceJson.write(SampleRace.race(1, 2, 1));
        int last = -1;
        for (String name :
                new String[] {
                    "command", "started", "commit", "rounds", "seconds", "machine", "cpu", "peers",
                    "language", "works", "title", "text", "unit", "standings", "cpuMicros", "p999",
                    "curve", "perSecond"
                }) {
            int at = json.indexOf("\"" + name + "\"", last);
            assertTrue(at > last, name);
            last = at;
        }
        assertTrue(json.contains("\"curve\" : [ [ 50.0, "), "a point is an array");
        assertTrue(json.endsWith("}\n"));
    }

    @Test
    void whatIsNoRaceIsRejected() {
        for (String wrong : new String[] {"", "null", "[]", "{", "{}", "{\"command\": null}"}) {
            assertThrows(IOException.class, () -> RaceJson.read(wrong), wrong);
        }
        var without = RaceJson.write(SampleRace.race(1, 2, 1)).replace("\"works\"", "\"work\"");
        assertThrows(IOException.class, () -> RaceJson.read(without));
    }

    @Test
    void anErrorNamesTheFile() throws IOException {
        var file = Files.writeString(folder.resolve("no.json"), "{}");
        var error = assertThrows(IOException.class, () -> RaceJson.read(file));
        assertTrue(error.getMessage().startsWith(file.toString()), error.getMessage());
    }

    @Test
    void membersOfALaterVersionAreSkipped() throws IOException {
        var race = SampleRace.race(1, 2, 0);
        assertEquals(
                race, RaceJson.read(RaceJson.write(race).replaceFirst("\\{", "{\"new\": [1],")));
    }
}

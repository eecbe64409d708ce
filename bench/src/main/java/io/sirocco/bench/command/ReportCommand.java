// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.bench.report.Race;
import io.sirocco.bench.report.RaceJson;
import io.sirocco.bench.report.RaceMarkdown;
import io.sirocco.bench.report.RacePage;
import io.sirocco.bench.report.RaceTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sirocco bench report}: shows again what a race has measured. */
@Command(
        name = "report",
        description = {
            "Prints the table of a race again, from the race.json that bench compare has written.",
            ""
        },
        sortOptions = false)
final class ReportCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "RACE.json", description = "What a race has measured.")
    private Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "Write its page, too.")
    private Path html;

    @Option(
            names = "--markdown",
            paramLabel = "FILE",
            description =
                    "Replace what stands between the marks of this document, and the plots in the"
                            + " folder of its name: so docs/performance.md is made.")
    private Path markdown;

    @Override
    public Integer call() throws IOException {
        Race race = RaceJson.read(json);
        if (html != null) {
            Files.writeString(html, RacePage.of(race));
        }
        if (markdown != null) {
            RaceMarkdown.write(race, markdown);
        }
        spec.commandLine().getOut().print(RaceTable.of(race));
        spec.commandLine().getOut().flush();
        return 0;
    }
}

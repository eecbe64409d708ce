// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** A newcomer types --help behind whatever there is, and nothing else may happen. */
@Tag("peers")
@Timeout(60)
class HelpTest {
    private static final String[] COMMANDS = {
        "serve", "live", "proxy", "home", "check", "bench", "version"
    };

    static Stream<String> commands() {
        var all = new ArrayList<String>();
        all.add("");
        for (String command : COMMANDS) below(command, Main.commandLine(command), all);
        return all.stream().flatMap(line -> Stream.of(line + " -h", line + " --help"));
    }

    private static void below(String line, CommandLine parent, List<String> all) {
        all.add(line);
        String name = line.substring(line.lastIndexOf(' ') + 1);
        CommandLine command = parent.getSubcommands().get(name);
        command.getSubcommands().keySet().forEach(inner -> below(line + " " + inner, command, all));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandExplainsItself(String line) {
        var out = new StringWriter();
        var err = new StringWriter();
        String[] words = line.strip().split(" ");
        CommandLine sirocco = Main.commandLine(words);
        sirocco.setOut(new PrintWriter(out, true));
        sirocco.setErr(new PrintWriter(err, true));
        assertEquals(0, sirocco.execute(words), err.toString());
        assertTrue(out.toString().contains("Usage: sirocco"), out.toString());
        assertEquals("", err.toString());
    }

    /** With no Java, no Maven and no package manager in the PATH: none of them is asked. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-h",
                "--help",
                "help",
                "help test",
                "test --help",
                "test --all -h",
                "peers --help",
                "peers -h",
                "help peers",
                "format --help",
                "format -h",
                "package --help",
                "package dist -h",
            })
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no bash")
    void theLauncherInstallsAndBuildsNothing(String line, @TempDir Path folder) throws Exception {
        for (String tool : new String[] {"bash", "readlink", "cat"}) {
            Path real =
                    Stream.of("/usr/bin", "/bin")
                            .map(bin -> Path.of(bin, tool))
                            .filter(Files::exists)
                            .findFirst()
                            .orElseThrow();
            Files.createSymbolicLink(folder.resolve(tool), real);
        }
        var command = new ArrayList<String>();
        command.add(folder.resolve("bash").toString());
        command.add(Path.of("../sirocco").toRealPath().toString());
        command.addAll(List.of(line.split(" ")));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", folder.toString());
        File out = folder.resolve("out").toFile();
        Process process = builder.redirectOutput(out).start();
        try {
            assertTrue(process.waitFor(30, TimeUnit.SECONDS));
            String text = Files.readString(out.toPath());
            assertEquals(0, process.exitValue(), text);
            assertTrue(text.startsWith("Usage: ./sirocco"), text);
            assertFalse(text.contains("not found"), text);
        } finally {
            process.destroyForcibly();
        }
    }
}

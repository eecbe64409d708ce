// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Classes that are out of date and that Maven would keep: the launcher removes them before Maven
 * runs. A script stands for Maven; like Maven, it compiles only what is not there.
 */
@Tag("peers")
@Timeout(120)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no bash")
class LauncherBuildTest {
    private static final List<String> MODULES = List.of("net", "http", "app");
    private static final String ALL = "net net:test http http:test app app:test";

    /**
     * It prints the modules whose classes it finds, then compiles the modules in {@code COMPILE},
     * and at last kills itself if {@code KILL} is set. What it writes is newer than the build.
     */
    private static final String MAVEN =
            """
            #!/bin/sh
            cd "$CHECKOUT" || exit
            found=
            for module in net http app; do
                if [ -e $module/target/classes/A.class ]; then found="$found $module"; fi
                if [ -e $module/target/test-classes/A.class ]; then found="$found $module:test"; fi
            done
            echo "found:$found" >>found
            touch now
            while [ -e target/building ] && [ -z "$(find now -newer target/building)" ]; do touch now; done
            for module in $COMPILE; do
                for folder in $module/target/classes $module/target/test-classes; do
                    mkdir -p $folder
                    if [ ! -e $folder/A.class ]; then echo >$folder/A.class; fi
                done
            done
            if [ -n "$KILL" ]; then kill -KILL $$; fi
            """;

    @TempDir Path folder;
    private Path checkout;

    @BeforeEach
    void checkout() throws IOException {
        checkout = folder.resolve("check out");
        write("sirocco", Files.readString(Path.of("../sirocco")));
        write(".ci/packages", "");
        write("packaging/java.args", "");
        var modules = new StringBuilder();
        for (String module : MODULES) {
            modules.append("  <module>" + module + "</module>\n");
            write(module + "/pom.xml", "<project/>");
            write(module + "/src/main/java/A.java", "class A {}");
            write(module + "/src/main/java/B.java", "class B {}");
            write(module + "/src/test/java/T.java", "class T {}");
        }
        write("pom.xml", "<modules>\n" + modules + "</modules>\n");
        Path maven = Files.writeString(folder.resolve("mvn"), MAVEN);
        assertTrue(maven.toFile().setExecutable(true));
        run("test", "net http app", "");
    }

    private void write(String file, String text) throws IOException {
        Path path = checkout.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    @ParameterizedTest
    @CsvSource({
        "serv, serve",
        "sevre, serve",
        "tst, test",
        "chekc, check",
        "packge, package",
        "xyz,"
    })
    void anUnknownCommandSuggestsTheNearest(String word, String nearest) throws Exception {
        Process process =
                new ProcessBuilder("bash", checkout.resolve("sirocco").toString(), word)
                        .redirectErrorStream(true)
                        .start();
        String said = new String(process.getInputStream().readAllBytes());
        assertEquals(2, process.waitFor(), said);
        String hint = nearest == null ? "" : "did you mean \"" + nearest + "\"?\n";
        assertEquals(
                "sirocco: unknown command '" + word + "'\n" + hint + "See 'sirocco --help'.\n",
                said);
    }

    /** Runs the launcher and returns the modules whose classes Maven has found. */
    private String run(String command, String compile, String kill) throws IOException {
        Path said = folder.resolve("said");
        var builder =
                new ProcessBuilder("bash", checkout.resolve("sirocco").toString(), command)
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile());
        var environment = builder.environment();
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.put("PATH", folder + ":" + environment.get("PATH"));
        environment.put("CHECKOUT", checkout.toString());
        environment.put("COMPILE", compile);
        environment.put("KILL", kill);
        Files.deleteIfExists(checkout.resolve("found"));
        Process process = builder.start();
        try {
            process.onExit().join();
        } finally {
            process.destroyForcibly();
        }
        Path found = checkout.resolve("found");
        assertTrue(Files.exists(found), () -> "Maven was not run: " + read(said));
        return read(found).replace("found:", "").strip();
    }

    private String run() throws IOException {
        return run("test", "net http app", "");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private void touch(String file, long millis) throws IOException {
        Files.setLastModifiedTime(checkout.resolve(file), FileTime.fromMillis(millis));
    }

    private static String without(String... modules) {
        return String.join(
                " ",
                Stream.of(ALL.split(" "))
                        .filter(each -> !Arrays.asList(modules).contains(each))
                        .toList());
    }

    @Test
    void classesThatAreUpToDateStay() throws Exception {
        assertEquals(ALL, run());
        assertEquals(ALL, run());
    }

    @ParameterizedTest
    @ValueSource(strings = {"test", "install", "version", "package"})
    void aChangedModuleIsCompiledAgainWithThoseThatDependOnIt(String command) throws Exception {
        write("http/src/main/java/A.java", "class A { int a; }");
        assertEquals("net net:test", run(command, "", ""));
    }

    @Test
    void aRunForSomeModulesLeavesNoClassesOfTheOthersOutOfDate() throws Exception {
        write("net/src/main/java/A.java", "class A { int a; }");
        assertEquals("", run("test", "net", ""));
        assertEquals("net net:test", run());
        assertEquals(ALL, run());
    }

    @Test
    void aDeletedSourceLeavesNoClass() throws Exception {
        Files.delete(checkout.resolve("app/src/main/java/B.java"));
        assertEquals(without("app", "app:test"), run());
    }

    @Test
    void aSourceThatIsOlderThanTheClassesAndAnotherIsNoticed() throws Exception {
        write("app/src/main/java/A.java", "class A { int a; }");
        touch("app/src/main/java/A.java", 1_000_000_000_000L);
        assertEquals(without("app", "app:test"), run());
    }

    /** Another build may have seen it changed and then changed back. */
    @Test
    void aSourceThatWasWrittenSinceIsCompiledAgain() throws Exception {
        touch("app/src/main/java/A.java", System.currentTimeMillis() + 3_600_000);
        assertEquals(without("app", "app:test"), run());
    }

    @Test
    void aChangedTestLeavesTheClassesOfTheModuleAlone() throws Exception {
        write("http/src/test/java/T.java", "class T { int a; }");
        assertEquals("net net:test http app", run());
    }

    @Test
    void whatAKilledBuildHasWrittenIsCompiledAgain() throws Exception {
        write("http/src/main/java/A.java", "class A { int a; }");
        run("test", "http", "yes");
        assertEquals("net net:test", run());
        assertTrue(read(folder.resolve("said")).contains("interrupted; compiling again: http\n"));
        assertEquals(ALL, run());
    }

    @Test
    void aBuildThatWasKilledBeforeItWroteCostsNothing() throws Exception {
        run("test", "", "yes");
        assertEquals(ALL, run());
        assertFalse(read(folder.resolve("said")).contains("interrupted"));
    }

    @Test
    void sourcesOfAnotherCommitAreAllNoticed() throws Exception {
        write("pom.xml", read(checkout.resolve("pom.xml")) + "<!-- other versions -->\n");
        assertEquals("", run());
    }
}

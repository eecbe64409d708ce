// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Scripts that keep more than the heap holds, be it that no task exceeds its limits or that one
 * does: in a JVM of its own.
 */
@Tag("heavy")
class FullHeapTest {
    @TempDir Path root;

    @Test
    void theScriptsBootAnewAndEveryCallHasAValue() throws IOException, InterruptedException {
        String output = run("-XX:+UseSerialGC", "-Xmx96m", Child.class);
        assertTrue(output.contains("out of memory: the scripts begin anew"), output);
        assertTrue(output.endsWith("all calls have values\n"), output);
    }

    /** A call took the scripts down with it before it came to its limit. */
    @ParameterizedTest
    @ValueSource(
            strings = "-XX:+UseSerialGC") // G1 in 48 MiB may still find no room for long strings
    void aCallThatKeepsStringsEndsAloneInASmallHeap(String collector)
            throws IOException, InterruptedException {
        String output = run(collector, "-Xmx48m", Bombs.class);
        assertFalse(output.contains("out of memory"), output);
        assertTrue(output.contains("the string would have 4000000 bytes, the limit is 3"), output);
        assertEquals(
                Bombs.CALLS,
                output.lines()
                        .filter(line -> line.matches("call of bomb ends.*\\d+ bytes of memory"))
                        .count(),
                output);
        assertTrue(output.endsWith("kept\n"), output);
    }

    private String run(String collector, String heap, Class<?> program)
            throws IOException, InterruptedException {
        Path log = root.resolve("log");
        Process jvm =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                collector,
                                heap,
                                "-cp",
                                System.getProperty("java.class.path"),
                                program.getName(),
                                root.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            boolean ended = jvm.waitFor(5, TimeUnit.MINUTES);
            String output = Files.readString(log);
            assertTrue(ended, output);
            assertEquals(0, jvm.exitValue(), output);
            return output;
        } finally {
            jvm.destroyForcibly();
        }
    }

    /** Calls that make strings of many lengths for as long as they may. */
    static final class Bombs {
        static final int CALLS = 10;

        // what a whole controller has besides its scripts
        @SuppressWarnings("unused")
        private static final byte[][] REST = new byte[48][256 << 10];

        private Bombs() {}

        public static void main(String[] arguments) {
            ScriptRig rig = new ScriptRig(Path.of(arguments[0]));
            rig.script(
                    "USER.LUA",
                    """
                    global = 'kept'
                    function bomb(n) local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(n) end end
                    """);
            rig.start();
            rig.value("bomb(4000000)");
            for (int i = 0; i < CALLS; i++) {
                rig.value("bomb(%d)".formatted(List.of(380_000, 70_000, 60_000).get(i % 3)));
                rig.value("checkAlive()");
            }
            System.out.print(rig.logged() + rig.value("global") + "\n");
            rig.close();
        }
    }

    /** The program of the other JVM. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            ScriptRig rig = new ScriptRig(Path.of(arguments[0]));
            rig.script(
                    "USER.LUA",
                    "keep = {} function fill() keep[#keep + 1] = ('x'):rep(5e5) return #keep end");
            rig.start();
            for (int i = 0; i < 900; i++) { // more than four times the heap
                rig.value("fill()");
                rig.value("checkAlive()");
            }
            rig.value("setVar('keep', {})");
            long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
            while (!rig.value("checkAlive()").equals("0d123456")) {
                if (System.nanoTime() - end >= 0) {
                    System.out.print("the scripts have not booted: " + rig.logged());
                    System.exit(1);
                }
                LockSupport.parkNanos(200_000); // the scripts boot
            }
            rig.close();
            System.out.print("all calls have values\n");
        }
    }
}

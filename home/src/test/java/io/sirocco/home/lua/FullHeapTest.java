// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Scripts that keep more than the heap holds, although no task exceeds its limits: in a JVM of its
 * own.
 */
class FullHeapTest {
    @TempDir Path root;

    @Test
    void theScriptsBootAnewAndEveryCallHasAValue() throws IOException, InterruptedException {
        Path log = root.resolve("log");
        Process jvm =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "-Xmx96m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Child.class.getName(),
                                root.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            boolean ended = jvm.waitFor(5, TimeUnit.MINUTES);
            String output = Files.readString(log);
            assertTrue(ended, output);
            assertEquals(0, jvm.exitValue(), output);
            assertTrue(output.contains("out of memory: the scripts begin anew"), output);
            assertTrue(output.endsWith("all calls have values\n"), output);
        } finally {
            jvm.destroyForcibly();
        }
    }

    /** The program of the other JVM. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            ScriptRig rig = new ScriptRig(Path.of(arguments[0]));
            rig.script(
                    "USER.LUA",
                    "keep = {} function fill() keep[#keep + 1] = ('x'):rep(3e6) return #keep end");
            rig.start();
            for (int i = 0; i < 150; i++) { // more than four times the heap
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
                Thread.onSpinWait(); // the scripts boot
            }
            rig.close();
            System.out.print("all calls have values\n");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.net.Loops;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sirocco version}: what a bug report should begin with. */
@Command(
        name = "version",
        description = "Prints the version of Sirocco, the JVM and the system, and what they allow.")
final class Version implements Runnable {

    @Spec private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().getOut().print(text());
        spec.commandLine().getOut().flush();
    }

    static String text() {
        String own = Version.class.getPackage().getImplementationVersion();
        return """
               sirocco %s
               Java %s (%s)
               %s %s %s
               transport: %s
               virtual threads: %s
               """
                .formatted(
                        own == null ? "development" : own, // null when run from loose classes
                        Runtime.version(),
                        System.getProperty("java.vendor"),
                        System.getProperty("os.name"),
                        System.getProperty("os.version"),
                        System.getProperty("os.arch"),
                        transport(),
                        Loops.carriesVirtualThreads()
                                ? "carried by the loops"
                                : "on the JDK's scheduler");
    }

    /** What {@code --transport auto} would take; where that is NIO, the log says why. */
    private static String transport() {
        try (Loops loops = Loops.start(settings -> settings.loops(1))) {
            return loops.all().getFirst().transport().label();
        } catch (IOException e) {
            return "none: " + e.getMessage();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sirocco version}: what a bug report should begin with. */
@Command(name = "version", description = "Prints the version of Sirocco, the JVM and the system.")
final class Version implements Runnable {

    @Spec private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().getOut().println(text());
    }

    static String text() {
        String own = Version.class.getPackage().getImplementationVersion();
        return "sirocco %s, Java %s (%s), %s %s %s"
                .formatted(
                        own == null ? "development" : own, // null when run from loose classes
                        Runtime.version(),
                        System.getProperty("java.vendor"),
                        System.getProperty("os.name"),
                        System.getProperty("os.version"),
                        System.getProperty("os.arch"));
    }
}

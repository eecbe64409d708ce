// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.io.InputStream;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
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
        return """
               sirocco %s
               Java %s (%s), %s
               %s %s %s, CPUs: %d
               transport: %s
               virtual threads: %s
               AOT cache: %s
               """
                .formatted(
                        build(),
                        Runtime.version(),
                        System.getProperty("java.vendor"),
                        System.getProperty("java.home"),
                        System.getProperty("os.name"),
                        System.getProperty("os.version"),
                        System.getProperty("os.arch"),
                        Runtime.getRuntime().availableProcessors(),
                        transport(),
                        Loops.carriesVirtualThreads()
                                ? "carried by the loops"
                                : "on the JDK's scheduler",
                        cache());
    }

    /** The number, and the commit that it was built of: {@code 0.1.0 (01c3314a5b, 2026-11-22)}. */
    private static String build() {
        String number = Version.class.getPackage().getImplementationVersion();
        if (number == null) return "development"; // loose classes, without a manifest
        String commit = commit();
        return commit.isEmpty() ? number : number + " (" + commit + ")";
    }

    /** Of the first jar, which is ours; an AOT cache keeps no code source that could be asked. */
    private static String commit() {
        try (InputStream manifest =
                Version.class.getResourceAsStream("/" + JarFile.MANIFEST_NAME)) {
            String commit = new Manifest(manifest).getMainAttributes().getValue("Build-Commit");
            return commit == null ? "" : commit;
        } catch (IOException e) {
            return ""; // a report of a fault is better without it than not at all
        }
    }

    /**
     * Whether the JVM took the cache that the launcher named. The JVM says only that it shares
     * something, but when it refuses the one that it was given it takes no other.
     */
    private static String cache() {
        String named = System.getProperty("sirocco.aot");
        if (named == null) return "none";
        boolean used = System.getProperty("java.vm.info", "").contains("sharing");
        return (used ? "in use, " : "refused by this JVM, ") + named;
    }

    /** Returns what {@code --transport auto} takes here and, where that is NIO, why. */
    private static String transport() {
        try {
            return started(TransportKind.IO_URING);
        } catch (IOException e) {
            try {
                return started(TransportKind.NIO) + " (" + e.getMessage() + ")";
            } catch (IOException none) {
                return "none: " + none.getMessage();
            }
        }
    }

    private static String started(TransportKind kind) throws IOException {
        try (Loops loops = Loops.start(settings -> settings.loops(1).transport(kind))) {
            return loops.all().getFirst().transport().label();
        }
    }
}

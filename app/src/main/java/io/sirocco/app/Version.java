// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sirocco version}: prints the versions that a bug report needs. */
@Command(
        name = "version",
        description =
                "Prints the versions of Sirocco, the JVM and the system, and which features they support.")
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

    /** Returns the version and the commit: {@code 0.1.0 (01c3314a5b, 2026-11-22)}. */
    static String build() {
        String number = Version.class.getPackage().getImplementationVersion();
        if (number == null) return "development"; // loose classes, without a manifest
        String commit = commit();
        return commit.isEmpty() ? number : number + " (" + commit + ")";
    }

    /** Reads the manifest of the first jar, since an AOT cache keeps no code source. */
    private static String commit() {
        try (InputStream manifest =
                Version.class.getResourceAsStream("/" + JarFile.MANIFEST_NAME)) {
            String commit = new Manifest(manifest).getMainAttributes().getValue("Build-Commit");
            return commit == null ? "" : commit;
        } catch (IOException e) {
            return ""; // print the rest without it
        }
    }

    /**
     * Returns whether the JVM uses the cache that the launcher named. The JVM only reports that it
     * shares something, but if it rejects the given cache it uses no other.
     */
    private static String cache() {
        String named = System.getProperty("sirocco.aot");
        if (named == null) return "none";
        boolean used = System.getProperty("java.vm.info", "").contains("sharing");
        return (used ? "in use, " : "rejected by this JVM, ") + named;
    }

    /** Returns what {@code --transport auto} selects here, and why not something before it. */
    private static String transport() {
        var refusals = new ArrayList<String>();
        for (TransportKind kind : TransportKind.values()) {
            if (kind == TransportKind.AUTO) continue;
            try {
                String started = started(kind);
                return refusals.isEmpty()
                        ? started
                        : started + " (" + String.join("; ", refusals) + ")";
            } catch (IOException e) {
                refusals.add(e.getMessage());
            }
        }
        return "none: " + String.join("; ", refusals);
    }

    private static String started(TransportKind kind) throws IOException {
        try (Loops loops = Loops.start(settings -> settings.loops(1).transport(kind))) {
            return loops.all().getFirst().transport().label();
        }
    }
}

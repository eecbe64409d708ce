// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.script.Scripts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The engine that runs scripts. It takes a second and more to load, once in a JVM: classes with
 * scripts load it before their first test, which then has its time for itself. Any thread.
 */
public final class ScriptEngine {
    private static boolean loaded;

    private ScriptEngine() {}

    /** Loads the engine if no other class has. */
    public static synchronized void load() throws IOException {
        if (loaded) return;
        Path folder = Files.createTempDirectory("scripts");
        Path script = folder.resolve("a.js");
        Files.writeString(script, "export default () => ({ body: 'loaded' });");
        try (Scripts scripts = Scripts.of(folder, options -> options.contexts(1))) {
            scripts.ready().toCompletableFuture().join();
        } finally {
            Files.delete(script);
            Files.delete(folder);
        }
        loaded = true;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Loads the language before the tests of a class, once in a JVM: the first script takes seconds,
 * which are no test's.
 */
final class LoadedLanguage implements BeforeAllCallback {
    private static boolean loaded;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        synchronized (LoadedLanguage.class) {
            if (!loaded) {
                load();
                loaded = true;
            }
        }
    }

    private static void load() throws IOException {
        Path folder = Files.createTempDirectory("scripts");
        try {
            Site.write(folder, "a.js", "export const generateResponse = () => ({ body: 'a' });");
            try (var site = new Site(folder)) {
                site.text("/a");
            }
        } finally {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path each : all.toList().reversed()) {
                    Files.delete(each);
                }
            }
        }
    }
}

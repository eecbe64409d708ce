// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.script;

import io.sirocco.app.library.LibraryFolder;

/** The libraries of scripts, which are loaded when the first script is configured. Any thread. */
public final class ScriptLibraries {
    private static final String PACKAGE = "io.sirocco.app.script.js";
    private static final LibraryFolder FOLDER =
            new LibraryFolder("script", PACKAGE, "io.sirocco.script.Scripts");

    private ScriptLibraries() {}

    /** The libraries, which are loaded once. */
    private static final class Loaded {
        static final OpenScripts.Opener OPENER = load();
    }

    /**
     * Returns what opens folders of scripts.
     *
     * @throws IllegalArgumentException if the libraries are not installed
     */
    public static OpenScripts.Opener opener() {
        FOLDER.load(PACKAGE + ".JavaScripts");
        return Loaded.OPENER;
    }

    private static OpenScripts.Opener load() {
        try {
            return (OpenScripts.Opener)
                    FOLDER.load(PACKAGE + ".JavaScripts").getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the libraries of scripts cannot be loaded", e);
        }
    }
}

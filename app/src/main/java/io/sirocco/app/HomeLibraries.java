// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.library.LibraryFolder;
import java.util.function.Consumer;

/** The command {@code home}, with the libraries that no other command needs. Any thread. */
final class HomeLibraries {
    private static final String PACKAGE = "io.sirocco.app.home";
    private static final LibraryFolder FOLDER =
            new LibraryFolder("home", PACKAGE, "io.sirocco.home.Clu");

    private HomeLibraries() {}

    /**
     * Creates the command.
     *
     * @throws IllegalArgumentException if the libraries are not installed
     */
    static Object command() {
        Consumer<Runnable> onStop =
                stop -> {
                    Signals.onStop(stop);
                    Signals.onReopen(Logging::reopen);
                };
        try {
            return FOLDER.load(PACKAGE + ".HomeCommand")
                    .getDeclaredConstructor(Consumer.class)
                    .newInstance(onStop);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the libraries of 'home' cannot be loaded", e);
        }
    }
}

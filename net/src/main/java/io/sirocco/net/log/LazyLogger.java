// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.log;

import java.util.function.Supplier;

/**
 * A {@link System.Logger} that is looked for when there is something to say. The JDK looks for the
 * logger's provider in every jar of the class path, which takes longer than the rest of a start
 * that says nothing. Any thread.
 */
public final class LazyLogger implements Supplier<System.Logger> {
    private final String name;
    private volatile System.Logger logger;

    private LazyLogger(String name) {
        this.name = name;
    }

    /** A logger with the name of {@code of}. */
    public static LazyLogger of(Class<?> of) {
        return of(of.getName());
    }

    /** A logger with this name. */
    public static LazyLogger of(String name) {
        return new LazyLogger(name);
    }

    @Override
    public System.Logger get() {
        System.Logger found = logger;
        if (found == null) {
            found = System.getLogger(name); // the JDK gives the same to all who ask
            logger = found;
        }
        return found;
    }
}

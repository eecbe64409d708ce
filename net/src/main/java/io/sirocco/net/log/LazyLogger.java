// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.log;

import java.util.function.Supplier;

/**
 * A {@link System.Logger} that is looked for when there is something to say. The JDK looks for the
 * logger's provider in every jar of the class path, which takes longer than the rest of a start
 * that says nothing. Any thread.
 */
public final class LazyLogger implements Supplier<System.Logger> {
    private final Class<?> of;
    private volatile System.Logger logger;

    private LazyLogger(Class<?> of) {
        this.of = of;
    }

    /** A logger with the name of {@code of}. */
    public static LazyLogger of(Class<?> of) {
        return new LazyLogger(of);
    }

    @Override
    public System.Logger get() {
        System.Logger found = logger;
        if (found == null) {
            found = System.getLogger(of.getName()); // the JDK gives the same to all who ask
            logger = found;
        }
        return found;
    }
}

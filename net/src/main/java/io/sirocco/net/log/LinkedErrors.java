// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.log;

/**
 * Links the errors that a class catches, and the strings with which it reports them, when the class
 * is initialised. Otherwise the JVM looks for the class of a {@code catch}, and makes the string,
 * when it first needs them; that takes heap, so that an {@link OutOfMemoryError} passes the {@code
 * catch} that is to stop it. Any thread.
 */
public final class LinkedErrors {
    private LinkedErrors() {}

    /** Does nothing: the class that calls it has linked {@code constants} to do so. */
    public static void link(Object... constants) {}
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.linux;

/** Tells whether this JVM can call the C library. Any thread. */
public final class NativeCalls {
    private NativeCalls() {}

    /**
     * Returns whether calls into the C library work: on Linux they do, unless the JVM refuses
     * native access. Every use of them has a fallback.
     */
    public static boolean work() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return false;
        }
        try {
            return Linux.openFilesLimit() > 0;
        } catch (LinkageError | IllegalCallerException e) {
            return false;
        }
    }
}

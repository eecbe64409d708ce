// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

/** Runs the server of {@code sirocco serve} until it is told to stop. */
final class Serving {

    private Serving() {}

    /** Serves, and returns the exit code of the process. */
    static int run(ServeOptions options) {
        System.err.println("sirocco serve: the HTTP server is not wired to this command yet");
        return 1;
    }
}

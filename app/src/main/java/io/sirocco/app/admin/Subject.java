// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.ServerStats;
import io.sirocco.live.Live;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The server that an admin server tells of, and acts on. Any thread. */
public interface Subject {
    /** Where in its life it is. */
    enum State {
        /** It does not listen yet. */
        STARTING("starting"),
        /** It serves. */
        SERVING("serving"),
        /** It accepts no more, and lets what is in progress end. */
        DRAINING("draining"),
        /** An event loop has died: the process is about to end. */
        FAILED("failed");

        private final String label;

        State(String label) {
            this.label = label;
        }

        /** As it is told to people and programs. */
        public String label() {
            return label;
        }
    }

    /** Where in its life it is. */
    State state();

    /** What its loops have done; none while it does not run. */
    List<ServerStats> stats();

    /** Where it listens, and how it talks to the kernel: one line for people. */
    String description();

    /** Requests that access rules have refused since the start, by the name of the rule. */
    Map<String, Long> refusals();

    /** Its event channels, if it has some. */
    default Optional<Live> live() {
        return Optional.empty();
    }

    /** Lines that the access log has dropped since the start. */
    long droppedLogLines();

    /** Begins to drain, and returns at once. */
    void drain();

    /**
     * Reads its configuration anew and takes it up, all or nothing.
     *
     * @throws IOException when it is refused; its message, which may have lines, is for the
     *     operator
     */
    void reload() throws IOException;
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.ServerStats;
import io.sirocco.live.Live;
import io.sirocco.web.cache.ResponseCache;
import io.sirocco.web.proxy.UpstreamStats;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The server that an admin server reports on and controls. Any thread. */
public interface Subject {
    /** The lifecycle of a server. */
    enum State {
        /** It is not listening yet. */
        STARTING("starting"),
        /** It accepts requests. */
        SERVING("serving"),
        /** It accepts no more requests, and finishes those in progress. */
        DRAINING("draining"),
        /** An event loop has died; the process is about to end. */
        FAILED("failed");

        private final String label;

        State(String label) {
            this.label = label;
        }

        /** Returns the name for people and programs. */
        public String label() {
            return label;
        }
    }

    /** Returns its state. */
    State state();

    /** Returns the statistics of its loops; empty while it is not running. */
    List<ServerStats> stats();

    /** Returns one line for people: the addresses and the transport. */
    String description();

    /** Returns the number of requests that each access rule has refused since the start. */
    Map<String, Long> refusals();

    /** Returns its event channels, if they are on. */
    default Optional<Live> live() {
        return Optional.empty();
    }

    /** Returns the certificates of its TLS. */
    default Collection<X509Certificate> certificates() {
        return List.of();
    }

    /** Returns the statistics of the upstreams that it forwards to. */
    default List<UpstreamStats> upstreams() {
        return List.of();
    }

    /** Returns the servers that have joined its upstreams, if any may. */
    default Optional<Registrations> registrations() {
        return Optional.empty();
    }

    /** Returns its response caches by name. */
    default Map<String, ResponseCache> caches() {
        return Map.of();
    }

    /** Returns the number of lines that the access log has dropped since the start. */
    long droppedLogLines();

    /** Starts to drain, and returns at once. */
    void drain();

    /**
     * Reads its configuration again and applies all of it, or nothing.
     *
     * @throws IOException if it is rejected, with a message of one or more lines for the operator
     */
    void reload() throws IOException;
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import java.util.Optional;

/**
 * What became of a forwarded request, for access logs and metrics: the attribute {@link
 * Proxy#OUTCOME} of the request. Loop-confined.
 */
public final class ProxyOutcome {
    private final String upstream;
    String server = "";
    int attempts;
    String failure = "";

    ProxyOutcome(String upstream) {
        this.upstream = upstream;
    }

    /** Returns the name of the upstream. */
    public String upstream() {
        return upstream;
    }

    /** Returns the server that was tried last, as in {@code http://10.0.0.1:8080}. */
    public Optional<String> server() {
        return Optional.of(server).filter(name -> !name.isEmpty());
    }

    /** Returns the number of servers that were tried. */
    public int attempts() {
        return attempts;
    }

    /**
     * Returns why the response is not that of a server, as in {@code BAD_GATEWAY: CONNECT_FAILED}.
     */
    public Optional<String> failure() {
        return Optional.of(failure).filter(why -> !why.isEmpty());
    }
}

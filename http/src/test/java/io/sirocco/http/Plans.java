// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.exchange.ServerContext;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;

/** Lets the tests of other rooms use a configuration as a server does. */
public final class Plans {
    private Plans() {}

    /** Returns what a server with this configuration and these routes gives to its loops. */
    public static ServerContext context(
            Consumer<Config> configure, Consumer<Routes> routes, ExecutorService pool) {
        return ServerPlan.of(configure, routes, Map.of()).serverContext("fake", pool);
    }
}

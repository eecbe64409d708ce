// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Server;
import io.sirocco.web.cache.ResponseCache;
import io.sirocco.web.proxy.Proxy;
import io.sirocco.web.proxy.Upstream;

/**
 * A cache in front of a remote site: what the site allows to be stored is fetched once, and served
 * from memory while it is fresh. The header {@code Cache-Status} of each response says which it
 * was.
 *
 * <pre>
 *   curl -i http://localhost:8080/
 * </pre>
 */
public final class CachedSite {

    static Server start(int port, String site) {
        Upstream remote = Upstream.of(site);
        ResponseCache cache = ResponseCache.create(options -> options.memory(64 << 20));
        return Server.start(
                config -> config.port(port),
                routes ->
                        routes.any(
                                "/*",
                                Proxy.to(remote, options -> options.host("server").cache(cache))));
    }

    void main() {
        start(8080, "http://localhost:8081");
    }
}

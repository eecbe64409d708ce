// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.web.cache.ResponseCache;
import io.sirocco.web.proxy.Proxy;
import io.sirocco.web.proxy.Upstream;
import java.time.Instant;

/**
 * A cache in front of a remote site: what the site allows to be stored is fetched once, and served
 * from memory while it is fresh. The header {@code Cache-Status} of each response says which it
 * was. The program has a site of its own, whose responses are fresh for 10 seconds.
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

    void main(String[] arguments) {
        Server site =
                Server.start(
                        0,
                        routes ->
                                routes.get(
                                        "/*",
                                        request ->
                                                Response.text("It is " + Instant.now() + "\n")
                                                        .header("Cache-Control", "max-age=10")));
        int port = arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]);
        Server server = start(port, "http://127.0.0.1:" + site.port());
        IO.println("http://127.0.0.1:" + server.port() + "/");
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy.heavy;

import io.sirocco.http.Server;
import io.sirocco.http.ServerStats;
import io.sirocco.net.TransportKind;
import io.sirocco.web.proxy.Proxy;
import io.sirocco.web.proxy.Upstream;
import io.sirocco.web.proxy.UpstreamStats;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.Arrays;

/**
 * A proxy in a JVM of its own. Arguments: the transport, the number of loops, and the URLs of the
 * servers. Prints its port; then {@code stats} prints its connections, the tunnels, and each
 * server's state, and the end of the input ends it.
 */
public final class HeavyProxy {
    private HeavyProxy() {}

    public static void main(String[] arguments) throws IOException {
        String[] servers = Arrays.copyOfRange(arguments, 2, arguments.length);
        Upstream upstream =
                Upstream.of(
                        settings ->
                                settings.connectTimeout(Duration.ofSeconds(1))
                                        .responseTimeout(Duration.ofSeconds(1))
                                        .ejection(Duration.ofSeconds(2))
                                        .slowStart(Duration.ofSeconds(1))
                                        .retries(2),
                        servers);
        Server server =
                Server.start(
                        config ->
                                config.port(0)
                                        .transport(TransportKind.valueOf(arguments[0]))
                                        .loops(Integer.parseInt(arguments[1]))
                                        .maxBodyBytes(-1)
                                        .idleTimeout(Duration.ofMinutes(10)),
                        routes -> routes.any("/*", Proxy.to(upstream)));
        System.out.println(server.port());
        var input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            System.out.println(line.equals("stats") ? stats(server, upstream) : "unknown: " + line);
        }
        server.close();
        upstream.close();
    }

    private static String stats(Server server, Upstream upstream) {
        long connections = 0;
        for (ServerStats stats : server.stats()) {
            connections += stats.net().connections();
        }
        UpstreamStats all = upstream.stats();
        long tunnels = 0;
        var states = new StringBuilder();
        for (UpstreamStats.ServerStats each : all.servers()) {
            tunnels += each.tunnels();
            states.append(' ').append(each.state());
        }
        return connections + " " + tunnels + states + " retries " + all.retries();
    }
}

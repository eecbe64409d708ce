// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.client.ClientRequest;
import io.sirocco.http.client.ClientResponse;
import io.sirocco.net.Loop;

/**
 * Requests the health path of each server of an {@link Upstream}, at intervals, on one loop. Each
 * check opens a connection, since a kept one that works does not show that new ones do.
 * Loop-confined.
 */
final class HealthChecks {
    private final Upstream upstream;

    HealthChecks(Upstream upstream) {
        this.upstream = upstream;
    }

    void begin(Loop loop) {
        if (!upstream.settings.healthPath.isEmpty()) {
            round(loop);
        }
    }

    private void round(Loop loop) {
        if (upstream.isClosed()) {
            return;
        }
        for (UpstreamServer each : upstream.servers()) {
            check(loop, each);
        }
        loop.schedule(upstream.settings.healthInterval.toMillis(), () -> round(loop));
    }

    private void check(Loop loop, UpstreamServer server) {
        ClientRequest request =
                ClientRequest.of("GET", server.origin, upstream.settings.healthPath)
                        .header("Host", server.authority)
                        .header("User-Agent", "sirocco-health-check")
                        .timeout(upstream.settings.healthTimeout)
                        .closeConnection();
        if (upstream.settings.proxyProtocol != null) {
            request = request.proxyHeader(upstream.settings.proxyProtocol.local());
        }
        upstream.client
                .sendAsync(loop, request)
                .whenComplete(
                        (response, failure) -> {
                            boolean success =
                                    response != null
                                            && response.status() >= 200
                                            && response.status() < 400;
                            close(response);
                            if (server.health.checked(success, loop.now())) {
                                upstream.log(
                                        server,
                                        success
                                                ? "is back"
                                                : "is taken out: "
                                                        + (response == null
                                                                ? failure.getMessage()
                                                                : response.toString()));
                            }
                        });
    }

    private static void close(ClientResponse response) {
        if (response != null) {
            response.close();
        }
    }
}

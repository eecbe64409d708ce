// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.List;

/**
 * {@code [proxies]}: the trusted proxies, and the headers in which they report their clients.
 * Immutable.
 *
 * @param trusted empty: none
 * @param headers in lower case; empty: the proxies use the PROXY protocol, if anything
 */
public record Proxies(List<Network> trusted, List<String> headers) {
    private static final String STANDARD = "forwarded";
    private static final List<String> HEADERS =
            List.of(STANDARD, "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host");

    static Proxies read(Table table) {
        var proxies =
                new Proxies(
                        table.list("trusted", List.of(), Values.text(Network::parse)),
                        table.list("headers", List.of(), Values.oneOf(HEADERS)));
        if (proxies.headers.contains(STANDARD) && proxies.headers.size() > 1) {
            table.error(
                    "headers",
                    "\"forwarded\" cannot be combined with the other headers",
                    "list only the headers that your proxy sets in every request; a client can forge the others");
        }
        if (!proxies.headers.isEmpty() && proxies.trusted.isEmpty()) {
            table.warning(
                    "headers",
                    "\"headers\" has no effect",
                    "no proxy is trusted; set trusted = [\"10.0.0.2\"]");
        }
        return proxies;
    }
}

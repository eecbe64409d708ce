// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.List;

/**
 * {@code [proxies]}: whose word on their clients is taken, and where they say it. Immutable.
 *
 * @param trusted empty: nobody's
 * @param headers in lower case; empty: they say it by the PROXY protocol, if at all
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
                    "a proxy says it either by \"forwarded\" or by the others",
                    "name those that your proxy sets in every request; a client can send the rest");
        }
        if (!proxies.headers.isEmpty() && proxies.trusted.isEmpty()) {
            table.warning(
                    "headers",
                    "\"headers\" has no effect",
                    "nobody is believed without trusted = [\"10.0.0.2\"]");
        }
        return proxies;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The access rules and response headers of a site, or of a route with the options that it inherits.
 * Immutable.
 *
 * @param allow empty: everyone; else all others get 403
 * @param deny these get 403, even if allowed
 * @param hsts zero for none
 * @param headers set in every response, in this order; an empty value removes a header
 */
public record Rules(
        List<Network> allow,
        List<Network> deny,
        boolean securityHeaders,
        Duration hsts,
        boolean hstsSubdomains,
        Map<String, String> headers,
        Optional<RateLimit> rateLimit,
        Optional<BasicAuth> basicAuth,
        Optional<Cors> cors) {

    static Rules read(Table table) {
        return new Rules(
                table.list("allow", List.of(), Values.text(Network::parse)),
                table.list("deny", List.of(), Values.text(Network::parse)),
                table.flag("security-headers", true),
                table.time("hsts", "0s"),
                table.flag("hsts-subdomains", false),
                table.map("headers", true, Texts::field),
                table.inline("rate-limit", RateLimit::read),
                table.inline("basic-auth", BasicAuth::read),
                table.inline("cors", Cors::read));
    }
}

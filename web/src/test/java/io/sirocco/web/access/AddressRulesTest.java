// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who may ask at all. */
class AddressRulesTest {
    private final Serving serving = new Serving();

    private Serving with(List<String> allow, List<String> deny) {
        return serving.start(
                new AddressRules(Networks.of(allow), Networks.of(deny), serving.rejections));
    }

    @Test
    void onlyTheAllowedMayAskAndTheDeniedNever() throws Exception {
        try (var site = with(List.of("127.0.0.0/30"), List.of("127.0.0.2"))) {
            assertEquals(200, site.ask("127.0.0.1", "GET", "/").status());
            assertEquals(403, site.ask("127.0.0.2", "GET", "/").status());
            assertEquals(200, site.ask("127.0.0.3", "GET", "/").status());
            var refused = site.ask("127.0.0.4", "GET", "/");
            assertEquals(403, refused.status());
            assertEquals("Forbidden", refused.body());
            assertEquals(Map.of("allow", 1L, "deny", 1L), site.counts());
        }
    }

    @Test
    void withoutAListOfTheAllowedAllMayAsk() throws Exception {
        try (var site = with(List.of(), List.of("127.0.0.2"))) {
            assertEquals(200, site.ask("127.0.0.1", "GET", "/").status());
            assertEquals(403, site.ask("127.0.0.2", "GET", "/").status());
        }
    }
}

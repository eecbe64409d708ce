// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.Filter;
import io.sirocco.http.Response;
import io.sirocco.testkit.ManualClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A refusal by a rule has the page that all other errors of the server have. */
class RefusalPagesTest {
    @TempDir Path folder;

    private final Serving serving = new Serving();

    RefusalPagesTest() {
        serving.pages = (status, message) -> Response.text("page of " + status);
    }

    private Serving.Reply refused(Filter rule, String... fields) throws Exception {
        try (var site = serving.start(request -> Serving.HELLO, SEEN, rule)) {
            site.ask("127.0.0.1", "OPTIONS", "/", fields);
            return site.ask("127.0.0.1", "OPTIONS", "/", fields);
        }
    }

    private static final Filter SEEN = (request, next) -> next.handle(request).header("Seen", "1");

    private static void is(int status, Serving.Reply reply) {
        assertEquals(status, reply.status());
        assertEquals("page of " + status, reply.body());
        assertEquals("1", reply.field("Seen"));
    }

    @Test
    void eachRuleRefusesWithThePageOfTheServer() throws Exception {
        Rejections rejections = serving.rejections;
        Networks loopback = Networks.of(List.of("127.0.0.0/8"));
        Networks other = Networks.of(List.of("192.0.2.0/24"));
        is(403, refused(new AddressRules(Networks.of(List.of()), loopback, rejections)));
        is(403, refused(new AddressRules(other, Networks.of(List.of()), rejections)));
        var clock = ManualClock.belowZero();
        var limit = new RateLimit(1, Duration.ofSeconds(10), 1, 1_024, clock, rejections);
        Serving.Reply limited = refused(limit);
        is(429, limited);
        assertEquals("10", limited.field("Retry-After"));
        Path file = Files.writeString(folder.resolve("users"), "");
        var users = new BasicAuth("a", Users.read(file), clock, rejections);
        Serving.Reply unknown = refused(users);
        is(401, unknown);
        assertEquals("Basic realm=\"a\", charset=\"UTF-8\"", unknown.field("WWW-Authenticate"));
        String[] preflight = {"Origin: https://evil.example", "Access-Control-Request-Method: GET"};
        Serving.Reply cors = refused(Cors.allow("https://app.example"), preflight);
        is(403, cors);
        assertEquals("Origin", cors.field("Vary"));
    }
}

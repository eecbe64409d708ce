// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.admin.ErrorObject;
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Filter;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.live.Live;
import io.sirocco.net.Clock;
import io.sirocco.web.access.Cors;
import io.sirocco.web.access.RateLimit;
import io.sirocco.web.access.Rejections;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Issues tickets for the password: {@code POST /ticket} with {@code {"password": "..."}} returns
 * {@code {"ticket": "..."}}. The limits for connects and wrong passwords apply here, too. Any
 * thread.
 */
final class TicketEndpoint {
    private static final int LONGEST = 4 << 10;
    private static final int ADDRESSES = 65_536;

    private final JsonMapper json = JsonMapper.shared();
    private final Live live;
    private final Predicate<String> password;
    private final io.sirocco.app.config.Live wanted;
    private final Rejections rejections;
    private final Optional<Filter> limit; // one for all hosts, across all reloads

    TicketEndpoint(
            Live live,
            Predicate<String> password,
            io.sirocco.app.config.Live wanted,
            Rejections rejections) {
        this.live = live;
        this.password = password;
        this.wanted = wanted;
        this.rejections = rejections;
        this.limit = limit();
    }

    void addTo(Routes routes) {
        routes.group(wanted.tickets().path(), this::add);
    }

    private void add(Routes here) {
        List<String> origins = // "null" and file:// may be any page's: those may not read a ticket
                wanted.origins().stream()
                        .filter(
                                each ->
                                        !each.equalsIgnoreCase("null")
                                                && !each.equalsIgnoreCase("file://"))
                        .toList();
        if (!origins.isEmpty()) {
            here.filter(cors(origins));
            here.route("OPTIONS", "", request -> Response.empty(204))
                    .executionMode(ExecutionMode.INLINE);
        }
        limit.ifPresent(here::filter);
        here.route("POST", "", this::give).maxBodyBytes(LONGEST); // may wait for its turn
    }

    private Filter cors(List<String> origins) {
        return new Cors(
                origins,
                List.of("POST"),
                List.of("Content-Type"),
                List.of(),
                false,
                Duration.ofMinutes(10),
                rejections);
    }

    private Optional<Filter> limit() {
        var limits = wanted.limits();
        if (limits.connects() == 0) {
            return Optional.empty();
        }
        return Optional.of(
                new RateLimit(
                        limits.connects(),
                        limits.connectsPer(),
                        limits.connects(),
                        ADDRESSES,
                        Clock.system(),
                        rejections));
    }

    private Response give(Request request) throws IOException {
        String offered;
        try {
            JsonNode body = json.readTree(request.body().bytes());
            offered = body.path("password").asString("");
        } catch (JacksonException e) {
            return ErrorObject.response(400, "bad_arguments", "the body is not valid JSON");
        }
        if (offered.isEmpty()) return unauthorized();
        Duration wait = live.guesses().take(request);
        if (wait.isPositive()) {
            return ErrorObject.response(429, "limited", "too many wrong passwords; try again later")
                    .header("Retry-After", Long.toString(wait.plusMillis(999).toSeconds()));
        }
        boolean right = false;
        boolean wrong = false;
        try {
            right = password.test(offered);
            wrong = !right;
        } finally {
            live.guesses().verified(request, wrong);
        }
        if (!right) return unauthorized();
        String ticket = json.writeValueAsString(Map.of("ticket", live.ticket("")));
        return Response.json(ticket).header("Cache-Control", "no-store");
    }

    private static Response unauthorized() {
        return ErrorObject.response(401, "unauthorized", "the password is missing or wrong");
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.BasicAuth;
import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.Cors;
import io.sirocco.app.config.Network;
import io.sirocco.app.config.RateLimit;
import io.sirocco.app.config.Route;
import io.sirocco.app.config.Rules;
import io.sirocco.app.config.Site;
import io.sirocco.http.Filter;
import io.sirocco.http.Request;
import io.sirocco.net.Clock;
import io.sirocco.web.access.AddressRules;
import io.sirocco.web.access.CanonicalHost;
import io.sirocco.web.access.HeaderRules;
import io.sirocco.web.access.Networks;
import io.sirocco.web.access.Rejections;
import io.sirocco.web.access.Users;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The filters of the routes of a configuration. Routes share filters with equal options, so an
 * inherited limit counts for both; a reload keeps the counts of limits and the passwords that are
 * unchanged. Used by one thread, then frozen.
 */
final class SiteFilters {
    private final Configuration configuration;
    private final Rejections rejections;
    private final Map<RateLimit, Filter> limits = new LinkedHashMap<>();
    private final Map<RateLimit, Filter> unclaimed = new LinkedHashMap<>(); // of before
    private final Map<BasicAuth, Filter> logins = new HashMap<>();
    private Optional<SiteFilters> before; // until these are in effect

    SiteFilters(Configuration configuration, Rejections rejections, Optional<SiteFilters> before) {
        this.configuration = configuration;
        this.rejections = rejections;
        this.before = before;
        before.ifPresent(old -> unclaimed.putAll(old.limits));
        claimLimits();
    }

    /**
     * Keeps the counts of unchanged limits: first of those at the same position, then of any that
     * is equal.
     */
    private void claimLimits() {
        Set<RateLimit> wanted =
                configuration.sites().stream()
                        .flatMap(
                                site ->
                                        Stream.concat(
                                                Stream.of(site.rules()),
                                                site.routes().stream().map(Route::rules)))
                        .flatMap(rules -> rules.rateLimit().stream())
                        .collect(Collectors.toCollection(LinkedHashSet::new));
        for (RateLimit limit : wanted) {
            Filter same = unclaimed.remove(limit);
            if (same != null) limits.put(limit, same);
        }
        for (RateLimit limit : wanted) {
            if (limits.containsKey(limit)) continue;
            unclaimed.keySet().stream()
                    .filter(old -> limit.equals(old.at(limit.position())))
                    .findFirst()
                    .ifPresent(old -> limits.put(limit, unclaimed.remove(old)));
        }
    }

    /** Completes a start or a reload. */
    void activate() {
        before = Optional.empty();
        unclaimed.clear();
    }

    /**
     * Returns the filters of a route in the order in which a request passes them: response headers,
     * canonical host, addresses, rate limit, CORS, password.
     */
    List<Filter> of(Site site, Rules rules) {
        var filters = new ArrayList<Filter>();
        filters.add(
                new HeaderRules(
                        rules.securityHeaders(),
                        rules.hsts(),
                        rules.hstsSubdomains(),
                        rules.headers(),
                        Request::isSecure));
        site.canonicalHost()
                .ifPresent(host -> filters.add(new CanonicalHost(host, Request::isSecure)));
        filters.addAll(access(rules));
        return filters;
    }

    /** Returns the filters for access: addresses, rate, origins, password. */
    List<Filter> access(Rules rules) {
        var filters = new ArrayList<Filter>();
        if (!rules.allow().isEmpty() || !rules.deny().isEmpty()) {
            filters.add(
                    new AddressRules(networks(rules.allow()), networks(rules.deny()), rejections));
        }
        rules.rateLimit()
                .ifPresent(limit -> filters.add(limits.computeIfAbsent(limit, this::limit)));
        rules.cors().ifPresent(cors -> filters.add(cors(cors)));
        rules.basicAuth().ifPresent(auth -> filters.add(logins.computeIfAbsent(auth, this::login)));
        return filters;
    }

    private static Networks networks(List<Network> networks) {
        return Networks.of(networks.stream().map(Network::toString).toList());
    }

    private Filter limit(RateLimit limit) {
        return new io.sirocco.web.access.RateLimit(
                limit.requests(),
                limit.per(),
                limit.burst(),
                limit.addresses(),
                Clock.system(),
                rejections);
    }

    private Filter cors(Cors cors) {
        return new io.sirocco.web.access.Cors(
                cors.origins(),
                cors.methods(),
                cors.headers(),
                cors.expose(),
                cors.credentials(),
                cors.maxAge(),
                rejections);
    }

    private Filter login(BasicAuth auth) {
        Optional<Filter> known =
                before.filter(
                                old ->
                                        configuration.hasFilesOf(
                                                old.configuration, List.of(auth.users())))
                        .flatMap(old -> Optional.ofNullable(old.logins.get(auth)));
        return known.orElseGet(() -> newLogin(auth));
    }

    private Filter newLogin(BasicAuth auth) {
        return new io.sirocco.web.access.BasicAuth(
                auth.realm(), users(auth.users()), Clock.system(), rejections);
    }

    private static Users users(Path file) {
        try {
            return Users.read(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.AccessLog.Format;
import io.sirocco.app.config.Address;
import io.sirocco.app.config.Bandwidth;
import io.sirocco.app.config.ConfigError;
import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.app.config.Limits;
import io.sirocco.app.config.Listen;
import io.sirocco.app.config.LogFile;
import io.sirocco.app.config.Network;
import io.sirocco.app.config.Site;
import io.sirocco.app.config.Timeouts;
import io.sirocco.http.Config;
import io.sirocco.http.Filter;
import io.sirocco.http.Monitor;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.http.TrustedProxies;
import io.sirocco.http.TrustedProxies.Field;
import io.sirocco.net.Admission;
import io.sirocco.net.Tls;
import io.sirocco.net.WhenFull;
import io.sirocco.web.access.ConnectionLimit;
import io.sirocco.web.access.HttpsRedirect;
import io.sirocco.web.access.Networks;
import io.sirocco.web.cache.ResponseCache;
import io.sirocco.web.log.AccessLog;
import io.sirocco.web.log.LogFormat;
import io.sirocco.web.proxy.UpstreamStats;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Builds the settings and routes of a server from a configuration. Each reload creates a new one,
 * which does everything that can fail before the server changes. Used by one thread, then frozen.
 */
final class Assembly implements AutoCloseable {
    /**
     * The path of challenges of a certificate authority, which are not redirected to HTTPS (RFC
     * 8555 8.3).
     */
    private static final String ACME = "/.well-known/acme-challenge/";

    /** The number of addresses whose connections are counted. */
    private static final int ADDRESSES = 65_536;

    private final Configuration configuration;
    private final SharedState sharedState;
    private final Sites sites;
    private final List<Listening> listening;
    private final Networks trusted;
    private final Optional<ConnectionLimit> connections;
    private final Optional<AccessLog> log;

    /**
     * Reads the files that {@code configuration} names.
     *
     * @param before the previous assembly; its creator closes it
     * @throws InvalidConfiguration if an option cannot be used
     * @throws IOException with a message for the operator
     */
    Assembly(Configuration configuration, SharedState sharedState, Optional<Assembly> before)
            throws InvalidConfiguration, IOException {
        this.configuration = configuration;
        this.sharedState = sharedState;
        this.sites = new Sites(sharedState, configuration, before.map(old -> old.sites), true);
        this.trusted =
                Networks.of(
                        configuration.proxies().trusted().stream().map(Network::toString).toList());
        try {
            this.listening = listening(before);
            this.connections = connections(before);
            this.log = log(before);
        } catch (ConfigError e) {
            throw e.invalid(configuration);
        }
    }

    /** An address and its protocols, which change only with a restart. */
    private record Listening(Listen listen, Optional<Tls> tls, boolean proxyProtocol) {
        boolean shares() {
            return tls.isPresent() && listen.tls() && listen.own().isEmpty();
        }
    }

    /** Lists bound addresses first, in the order of the server. */
    private List<Listening> listening(Optional<Assembly> before) {
        List<Listening> bound = new ArrayList<>();
        before.ifPresent(old -> bound.addAll(old.listening));
        List<Listening> kept = new ArrayList<>();
        List<Listening> added = new ArrayList<>();
        Optional<Tls> shared = Optional.empty();
        for (int i = 0; i < configuration.listen().size(); i++) {
            Listen listen = configuration.listen().get(i);
            Optional<Listening> known =
                    bound.stream()
                            .filter(it -> it.listen.address().equals(listen.address()))
                            .findFirst();
            Optional<Tls> wanted = Optional.empty();
            if (listen.tls() && listen.own().isEmpty()) {
                if (shared.isEmpty()) shared = Optional.of(shared(before));
                wanted = shared;
            } else if (listen.tls()) {
                wanted = Optional.of(own(before, known, listen, i));
            }
            if (known.isEmpty()) {
                added.add(new Listening(listen, wanted, listen.proxyProtocol()));
                continue;
            }
            Listening now = known.get();
            boolean turned = now.tls.isPresent() != listen.tls();
            kept.add(new Listening(listen, turned ? now.tls : wanted, now.proxyProtocol));
            bound.remove(now);
        }
        kept.addAll(added);
        return List.copyOf(kept);
    }

    /**
     * Returns the TLS of one address: the previous one if it is unchanged, which keeps sessions.
     */
    private Tls own(Optional<Assembly> before, Optional<Listening> known, Listen listen, int i) {
        return before.filter(old -> configuration.hasTlsOf(old.configuration, listen))
                .flatMap(old -> known.flatMap(Listening::tls))
                .orElseGet(() -> TlsOptions.tls(listen.own().orElseThrow(), "listen", i, "tls"));
    }

    /** Returns the shared TLS: the previous one if it is unchanged. */
    private Tls shared(Optional<Assembly> before) {
        return before.filter(old -> configuration.hasTlsOf(old.configuration))
                .flatMap(old -> old.listening.stream().filter(Listening::shares).findFirst())
                .flatMap(Listening::tls)
                .orElseGet(() -> TlsOptions.tls(configuration.tls(), "tls"));
    }

    Configuration configuration() {
        return configuration;
    }

    Optional<AccessLog> log() {
        return log;
    }

    /** Returns what the upstreams have done. */
    List<UpstreamStats> upstreams() {
        return sites.upstreams().stats();
    }

    /** Returns the response caches by name. */
    Map<String, ResponseCache> caches() {
        return sites.caches().byName();
    }

    /** Returns the server's certificates. */
    Set<X509Certificate> certificates() {
        var all = new LinkedHashSet<X509Certificate>();
        listening.forEach(it -> it.tls.ifPresent(tls -> all.addAll(tls.certificates())));
        return all;
    }

    /** Returns whether each address uses TLS, in the order of the server. */
    List<Boolean> secured() {
        return listening.stream().map(it -> it.tls.isPresent()).toList();
    }

    /** Completes a start or a reload, after the server has applied this assembly. */
    void activate(Server server) {
        int most = configuration.limits().maxConnectionsPerAddress();
        sites.activate(server);
        connections.ifPresent(limit -> limit.most(most == 0 ? Integer.MAX_VALUE : most));
    }

    /** Returns the limit of connections: the previous one, so that open connections count. */
    private Optional<ConnectionLimit> connections(Optional<Assembly> before) {
        int most = configuration.limits().maxConnectionsPerAddress();
        Optional<ConnectionLimit> known = before.flatMap(old -> old.connections);
        return known.isPresent() || most == 0
                ? known
                : Optional.of(new ConnectionLimit(most, ADDRESSES, sharedState.rejections()));
    }

    // ---- the server

    void configure(Config config) {
        for (Listening each : listening) {
            config.listen(resolved(each.listen.address()), each.tls, each.proxyProtocol);
        }
        config.trustedProxies(proxies());
        var server = configuration.server();
        config.transport(server.transport())
                .serverHeader(server.name())
                .sniHostCheck(configuration.tls().sniHostCheck());
        if (server.loops() > 0) config.loops(server.loops());
        config.blockedLoopTimeout(server.blockedLoop());
        configuration.listen().stream().mapToInt(Listen::backlog).max().ifPresent(config::backlog);
        limits(config, configuration.limits());
        timeouts(config, configuration.timeouts());
        bandwidth(config, configuration.bandwidth());
        var monitors = new ArrayList<Monitor>();
        if (configuration.admin().address().isPresent()) monitors.add(sharedState.metrics());
        log.ifPresent(monitors::add);
        monitors.addAll(sites.openScripts());
        config.monitor(Monitor.all(monitors));
    }

    private TrustedProxies proxies() {
        if (trusted.isEmpty()) return TrustedProxies.NONE;
        return TrustedProxies.of(
                trusted::contains,
                configuration.proxies().headers().stream()
                        .map(name -> name.toUpperCase(Locale.ROOT).replace('-', '_'))
                        .map(Field::valueOf)
                        .toArray(Field[]::new));
    }

    /** Exempts trusted proxies, whose connections carry many clients. */
    private Admission admission(ConnectionLimit limit) {
        if (configuration.proxies().headers().isEmpty()) return limit;
        Networks trusted = this.trusted; // a connection must not hold on to an old assembly
        return new Admission() {
            @Override
            public boolean admit(SocketAddress remote) {
                return trusted.contains(remote) || limit.admit(remote);
            }

            @Override
            public void gone(SocketAddress remote) {
                if (!trusted.contains(remote)) limit.gone(remote);
            }
        };
    }

    private void limits(Config config, Limits limits) {
        config.headerLimits(
                        limits.maxHeaderBytes(), limits.maxTargetBytes(), limits.maxHeaderFields())
                .maxBodyBytes(limits.maxBodyBytes() == 0 ? -1 : limits.maxBodyBytes())
                .maxConcurrentRequests(limits.maxConcurrentRequests())
                .admission(
                        limits.maxConnectionsPerAddress() > 0
                                ? admission(connections.orElseThrow())
                                : Admission.ALL);
        if (limits.maxConnectionsPerLoop() > 0)
            config.maxConnectionsPerLoop(limits.maxConnectionsPerLoop(), WhenFull.BACKLOG);
        config.memoryLimit(limits.memory())
                .maxOpenConnectionsPerLoop(limits.maxOpenConnectionsPerLoop());
    }

    private static void timeouts(Config config, Timeouts timeouts) {
        config.idleTimeout(timeouts.idle())
                .headerTimeout(timeouts.header())
                .bodyTimeout(timeouts.body(), timeouts.minBodyRate())
                .writeTimeout(timeouts.write())
                .handlerTimeout(timeouts.handler());
    }

    private static void bandwidth(Config config, Bandwidth bandwidth) {
        config.connectionBandwidth(bandwidth.connectionIn(), bandwidth.connectionOut());
        if (bandwidth.allIn() > 0 || bandwidth.allOut() > 0) {
            config.bandwidth(
                    io.sirocco.net.RateLimiter.perSecond(bandwidth.allIn()),
                    io.sirocco.net.RateLimiter.perSecond(bandwidth.allOut()));
        }
    }

    static SocketAddress resolved(Address address) {
        try {
            return address.resolved();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("the host of " + address + " cannot be resolved", e);
        }
    }

    // ---- routes

    void routes(Routes routes, Welcome welcome, Optional<Channels> channels) {
        redirectToHttps().ifPresent(routes::filter);
        boolean page = configuration.sites().isEmpty();
        if (channels.isPresent()) {
            channels.get().addTo(routes, page);
            for (Site site : configuration.sites()) {
                for (String host : site.hosts()) {
                    routes.host(host, hosted -> channels.get().addTo(hosted, false));
                }
            }
        }
        if (page && channels.isPresent()) return;
        if (page) {
            welcome.addTo(routes);
        } else {
            sites.add(configuration.sites(), routes);
        }
    }

    /** Redirects by the local port of the connection. */
    private Optional<Filter> redirectToHttps() {
        Map<Integer, HttpsRedirect> byPort = new HashMap<>();
        for (Listen listen : configuration.listen()) {
            if (listen.redirectToHttps() > 0
                    && listen.address() instanceof Address.Internet(_, int port)) {
                byPort.put(port, new HttpsRedirect(listen.redirectToHttps()));
            }
        }
        if (byPort.isEmpty()) return Optional.empty();
        return Optional.of(
                (request, next) -> {
                    HttpsRedirect redirect =
                            request.localAddress() instanceof InetSocketAddress local
                                    ? byPort.get(local.getPort())
                                    : null;
                    boolean proof = request.path().startsWith(ACME);
                    return redirect == null || proof || request.isSecure()
                            ? next.handle(request)
                            : redirect.handle(request);
                });
    }

    // ---- the access log

    /** Returns the access log: the open one if its options are unchanged. */
    private Optional<AccessLog> log(Optional<Assembly> before) throws IOException {
        var wanted = configuration.accessLog();
        if (before.isPresent() && before.get().configuration.accessLog().equals(wanted)) {
            return before.get().log;
        }
        LogFormat format = wanted.format() == Format.JSON ? LogFormat.JSON : LogFormat.COMBINED;
        if (wanted.file() instanceof LogFile.Named(Path path)) {
            return Optional.of(AccessLog.open(path, format, wanted.queue()));
        }
        if (wanted.file() instanceof LogFile.StandardOutput) {
            var output = io.sirocco.web.log.LogFile.standardOutput();
            return Optional.of(new AccessLog(output, format, wanted.queue()));
        }
        return Optional.empty();
    }

    /** Closes everything that {@code next} does not use. */
    void closeExcept(Assembly next) {
        sites.closeExcept(next.sites);
        log.filter(old -> next.log.filter(old::equals).isEmpty()).ifPresent(AccessLog::close);
    }

    /** Closes everything. */
    @Override
    public void close() {
        sites.close();
        log.ifPresent(AccessLog::close);
    }
}

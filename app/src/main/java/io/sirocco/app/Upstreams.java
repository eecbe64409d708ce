// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.admin.Registrations;
import io.sirocco.app.config.ConfigError;
import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.Network;
import io.sirocco.app.config.Proxy;
import io.sirocco.http.Server;
import io.sirocco.net.TlsClient;
import io.sirocco.web.access.Networks;
import io.sirocco.web.proxy.Upstream;
import io.sirocco.web.proxy.UpstreamSettings;
import io.sirocco.web.proxy.UpstreamStats;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The upstreams that the routes of a configuration forward to. A reload keeps those whose table and
 * certificate files are unchanged, with their connections, health and counters. Used by one thread,
 * then frozen.
 */
final class Upstreams implements AutoCloseable {
    /** The interval at which an upstream that a reload has dropped is checked until it is idle. */
    private static final Duration IDLE_CHECK = Duration.ofMillis(500);

    private final Configuration configuration;
    private final Registrations registrations;
    private final Map<io.sirocco.app.config.Upstream, Upstream> all = new LinkedHashMap<>();
    private Optional<Upstreams> before; // until these are in effect

    Upstreams(
            Configuration configuration, Registrations registrations, Optional<Upstreams> before) {
        this.configuration = configuration;
        this.registrations = registrations;
        this.before = before;
    }

    /**
     * Returns the upstream of a route.
     *
     * @throws ConfigError if its TLS files cannot be used
     */
    Upstream of(Proxy proxy) {
        List<io.sirocco.app.config.Upstream> tables = configuration.upstreams();
        for (int i = 0; i < tables.size(); i++) {
            if (!proxy.isUrl() && tables.get(i).name().equals(proxy.to())) return of(i);
        }
        return all.computeIfAbsent(proxy.ofUrl(), table -> keptOrNew(table, -1));
    }

    /**
     * Returns the upstreams of all tables by name, for scripts.
     *
     * @throws ConfigError if the TLS files of one cannot be used
     */
    Map<String, Upstream> byName() {
        var byName = new LinkedHashMap<String, Upstream>();
        List<io.sirocco.app.config.Upstream> tables = configuration.upstreams();
        for (int i = 0; i < tables.size(); i++) {
            byName.put(tables.get(i).name(), of(i));
        }
        return byName;
    }

    private Upstream of(int index) {
        return all.computeIfAbsent(
                configuration.upstreams().get(index), table -> keptOrNew(table, index));
    }

    private Upstream keptOrNew(io.sirocco.app.config.Upstream table, int index) {
        return before.filter(
                        old -> configuration.hasFilesOf(old.configuration, table.tls().files()))
                .flatMap(old -> Optional.ofNullable(old.all.get(table)))
                .orElseGet(() -> created(table, index));
    }

    private Upstream created(io.sirocco.app.config.Upstream table, int index) {
        Upstream upstream = Upstream.of(settings -> set(settings, table, index));
        before.stream()
                .flatMap(old -> old.all.values().stream())
                .filter(old -> old.name().equals(upstream.name()))
                .forEach(upstream::adoptAddresses);
        if (table.registration().on()) registrations.fill(upstream); // before its first request
        return upstream;
    }

    private static void set(
            UpstreamSettings settings, io.sirocco.app.config.Upstream table, int index) {
        settings.name(table.name())
                .allowEmpty(table.registration().on())
                .balance(table.balance())
                .stickyCookie(table.stickyCookie())
                .resolve(table.names().most())
                .resolveMin(table.names().least())
                .nameservers(table.names().addresses())
                .maxFailures(table.passive().maxFailures())
                .failureWindow(table.passive().window())
                .ejection(table.passive().ejection())
                .failureStatus(
                        table.passive().statuses().stream().mapToInt(Long::intValue).toArray())
                .healthPath(table.active().path())
                .healthInterval(table.active().interval())
                .healthTimeout(table.active().timeout())
                .unhealthyAfter(table.active().unhealthyAfter())
                .healthyAfter(table.active().healthyAfter())
                .slowStart(table.slowStart())
                .retries(table.retries())
                .retryBudget(table.retryBudget())
                .maxConnections(table.maxConnections())
                .maxWaiting(table.maxWaiting())
                .maxRequests(table.maxRequests())
                .maxHeaderBytes(table.maxHeaderBytes())
                .maxHeaders(table.maxHeaders())
                .queueTimeout(table.waits().queue())
                .connectTimeout(table.waits().connect())
                .responseTimeout(table.waits().response())
                .idleTimeout(table.waits().idle())
                .totalTimeout(table.waits().total())
                .keepAlive(table.waits().keepAlive())
                .tunnelIdleTimeout(table.waits().tunnelIdle())
                .tunnelHalfClosedTimeout(table.waits().tunnelHalfClosed());
        table.proxyProtocol().ifPresent(settings::proxyProtocol);
        table.hashBy().ifPresent(settings::hashBy);
        for (var server : table.servers()) {
            if (server.backup()) {
                settings.backup(server.url());
            } else {
                settings.server(server.url(), server.weight());
            }
        }
        table.tls().serverName().ifPresent(settings::serverName);
        try {
            tls(table.tls()).ifPresent(settings::tls);
        } catch (IllegalArgumentException e) {
            var error = new ConfigError(e, "upstream", index, "tls");
            throw TlsOptions.isEncrypted(e)
                    ? error.withHint("write it without a password: openssl pkey -in OLD -out NEW")
                    : error;
        }
    }

    private static Optional<TlsClient> tls(io.sirocco.app.config.Upstream.Tls tls) {
        Optional<Path> authorities = tls.authorities();
        return tls.chain().isPresent() && tls.key().isPresent()
                ? Optional.of(TlsClient.presenting(authorities, tls.chain().get(), tls.key().get()))
                : authorities.map(TlsClient::trusting);
    }

    /** Completes a start or a reload: health checks and look-ups of names begin. */
    void activate(Server server) {
        before = Optional.empty();
        all.values().forEach(upstream -> upstream.start(server));
        registrations.use(
                all.entrySet().stream()
                        .filter(each -> each.getKey().registration().on())
                        .map(each -> target(each.getKey().registration(), each.getValue()))
                        .toList());
    }

    private static Registrations.Target target(
            io.sirocco.app.config.Upstream.Registration registration, Upstream upstream) {
        List<String> networks = registration.networks().stream().map(Network::toString).toList();
        return new Registrations.Target(upstream, Networks.of(networks), registration.most());
    }

    /** Returns what each upstream has done. */
    List<UpstreamStats> stats() {
        return all.values().stream().map(Upstream::stats).toList();
    }

    /** Closes the upstreams that {@code next} does not use, each after its requests and tunnels. */
    void closeExcept(Upstreams next) {
        all.values().stream()
                .filter(upstream -> !next.all.containsValue(upstream))
                .forEach(
                        upstream ->
                                Thread.ofVirtual()
                                        .name("sirocco-upstream-" + upstream.name())
                                        .start(() -> closeIdle(upstream)));
    }

    /** Closes an upstream when it has been seen idle, so that no request finds it closed. */
    private static void closeIdle(Upstream upstream) {
        try (upstream) {
            do {
                Thread.sleep(IDLE_CHECK);
            } while (upstream.stats().inProgress() > 0);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes all of them. */
    @Override
    public void close() {
        all.values().forEach(Upstream::close);
    }
}

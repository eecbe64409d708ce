// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.AccessLog.Format;
import io.sirocco.app.config.Address;
import io.sirocco.app.config.Bandwidth;
import io.sirocco.app.config.Certificate;
import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.Deadlines;
import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.app.config.Limits;
import io.sirocco.app.config.Listen;
import io.sirocco.app.config.LogFile;
import io.sirocco.app.config.Site;
import io.sirocco.app.config.Tls.ClientCertificates;
import io.sirocco.app.config.Tls.UnknownName;
import io.sirocco.http.Config;
import io.sirocco.http.Filter;
import io.sirocco.http.Monitor;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.net.Admission;
import io.sirocco.net.Tls;
import io.sirocco.net.TlsEngines;
import io.sirocco.net.TlsSettings;
import io.sirocco.net.WhenFull;
import io.sirocco.web.access.ConnectionLimit;
import io.sirocco.web.access.HttpsRedirect;
import io.sirocco.web.log.AccessLog;
import io.sirocco.web.log.LogFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a configuration comes to: the settings and the routes of a server. Made anew for each
 * reload, with everything that can go wrong before the server is touched. Used by one thread, then
 * frozen.
 */
final class Assembly implements AutoCloseable {
    /**
     * Where a certificate authority looks for its proof, which it wants without HTTPS (RFC 8555
     * 8.3).
     */
    private static final String ACME = "/.well-known/acme-challenge/";

    /** Of which connections are counted. */
    private static final int ADDRESSES = 65_536;

    private final Configuration configuration;
    private final Lasting lasting;
    private final Sites sites;
    private final Optional<Tls> tls;
    private final Optional<ConnectionLimit> connections;
    private final Optional<AccessLog> log;

    /**
     * Reads the files that {@code configuration} names.
     *
     * @param before what this one follows; it is closed by whoever made it
     * @throws InvalidConfiguration for what cannot be used
     * @throws IOException with a message for the operator
     */
    Assembly(Configuration configuration, Lasting lasting, Optional<Assembly> before)
            throws InvalidConfiguration, IOException {
        this.configuration = configuration;
        this.lasting = lasting;
        this.sites = new Sites(lasting.rejections());
        try {
            this.tls = tls(before);
            this.connections = connections(before);
            this.log = log(before);
        } catch (Misfit e) {
            throw e.in(configuration);
        }
    }

    /**
     * Reads the certificates and lists that {@code configuration} names, and changes nothing.
     *
     * @throws InvalidConfiguration for what cannot be used
     */
    static void verify(Configuration configuration) throws InvalidConfiguration {
        try (var sites = new Sites(Lasting.begin().rejections())) {
            if (!configuration.tls().certificates().isEmpty()) {
                tls(configuration.tls());
            } else if (configuration.listen().stream().anyMatch(Listen::tls)) {
                engine(configuration.tls());
            }
            Server.create(
                    config -> config.port(0), routes -> sites.add(configuration.sites(), routes));
        } catch (Misfit e) {
            throw e.in(configuration);
        }
    }

    /** What has not changed goes on, and sessions with it. */
    private Optional<Tls> tls(Optional<Assembly> before) {
        if (configuration.listen().stream().noneMatch(Listen::tls)) return Optional.empty();
        Optional<Tls> known =
                before.filter(old -> configuration.hasTlsOf(old.configuration))
                        .flatMap(old -> old.tls);
        return known.or(() -> Optional.of(tls(configuration.tls())));
    }

    private static Tls tls(io.sirocco.app.config.Tls wanted) {
        try {
            return Tls.of(settings -> configure(wanted, settings));
        } catch (IllegalArgumentException e) {
            throw new Misfit(e, "tls");
        }
    }

    Configuration configuration() {
        return configuration;
    }

    Optional<AccessLog> log() {
        return log;
    }

    /** The server has taken it up. */
    void inForce() {
        int most = configuration.limits().connectionsPerAddress();
        connections.ifPresent(limit -> limit.most(most == 0 ? Integer.MAX_VALUE : most));
    }

    /** Whoever is connected is counted on. */
    private Optional<ConnectionLimit> connections(Optional<Assembly> before) {
        int most = configuration.limits().connectionsPerAddress();
        Optional<ConnectionLimit> known = before.flatMap(old -> old.connections);
        return known.isPresent() || most == 0
                ? known
                : Optional.of(new ConnectionLimit(most, ADDRESSES, lasting.rejections()));
    }

    // ---- the server

    void configure(Config config) {
        for (Listen listen : configuration.listen()) {
            SocketAddress address = resolved(listen.address());
            if (listen.tls()) {
                config.listen(address, tls.orElseThrow());
            } else {
                config.listen(address);
            }
        }
        var server = configuration.server();
        config.transport(server.transport()).serverHeader(server.name());
        if (server.loops() > 0) config.loops(server.loops());
        configuration.listen().stream().mapToInt(Listen::backlog).max().ifPresent(config::backlog);
        limits(config, configuration.limits());
        deadlines(config, configuration.deadlines());
        bandwidth(config, configuration.bandwidth());
        var monitors = new ArrayList<Monitor>();
        if (configuration.admin().address().isPresent()) monitors.add(lasting.metrics());
        log.ifPresent(monitors::add);
        config.monitor(Monitor.all(monitors));
    }

    private void limits(Config config, Limits limits) {
        config.head(limits.head(), limits.target(), limits.fields())
                .body(limits.body() == 0 ? -1 : limits.body())
                .requests(limits.requests())
                .admission(
                        limits.connectionsPerAddress() > 0
                                ? connections.orElseThrow()
                                : Admission.ALL);
        if (limits.connections() > 0) config.slots(limits.connections(), WhenFull.BACKLOG);
    }

    private static void deadlines(Config config, Deadlines deadlines) {
        config.idle(deadlines.idle())
                .headDeadline(deadlines.head())
                .bodyDeadline(deadlines.body(), deadlines.bodyRate())
                .writeDeadline(deadlines.write())
                .handlerDeadline(deadlines.handler());
    }

    private static void bandwidth(Config config, Bandwidth bandwidth) {
        config.connectionBandwidth(bandwidth.connectionIn(), bandwidth.connectionOut());
        if (bandwidth.allIn() > 0 || bandwidth.allOut() > 0) {
            config.bandwidth(
                    io.sirocco.net.Bandwidth.perSecond(bandwidth.allIn()),
                    io.sirocco.net.Bandwidth.perSecond(bandwidth.allOut()));
        }
    }

    static SocketAddress resolved(Address address) {
        try {
            return address.resolved();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("the address " + address + " is no known name", e);
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

    /** By the address that a request came to. */
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
                            request.local() instanceof InetSocketAddress local
                                    ? byPort.get(local.getPort())
                                    : null;
                    boolean proof = request.path().startsWith(ACME);
                    return redirect == null || proof
                            ? next.handle(request)
                            : redirect.handle(request);
                });
    }

    // ---- TLS

    private static void configure(io.sirocco.app.config.Tls wanted, TlsSettings settings) {
        engine(wanted).ifPresent(settings::engines);
        for (int i = 0; i < wanted.certificates().size(); i++) {
            try {
                add(settings, wanted.certificates().get(i));
            } catch (IllegalArgumentException | UncheckedIOException e) {
                throw new Misfit(e, "tls", "certificate", i);
            }
        }
        if (wanted.certificates().isEmpty() && wanted.selfSigned()) {
            settings.selfSigned(stateFolder());
        }
        settings.versions(
                wanted.versions().stream().map(version -> "TLSv" + version).toArray(String[]::new));
        if (!wanted.ciphers().isEmpty()) {
            settings.cipherSuites(wanted.ciphers().toArray(String[]::new));
        }
        if (wanted.clientCertificates() != ClientCertificates.NONE) {
            settings.clientCertificates(
                    TlsSettings.ClientCertificates.valueOf(wanted.clientCertificates().name()),
                    wanted.clientAuthorities().orElseThrow());
        }
        if (wanted.unknownName() == UnknownName.REFUSE) settings.refuseUnknownNames();
        settings.handshakeDeadline(wanted.handshake());
        settings.sessions(wanted.sessions(), Duration.ofDays(1));
    }

    private static Optional<TlsEngines.Kind> engine(io.sirocco.app.config.Tls wanted) {
        return Engines.chosen(wanted.engine(), Assembly.class.getClassLoader());
    }

    private static void add(TlsSettings settings, Certificate certificate) {
        switch (certificate) {
            case Certificate.Pem(Path chain, Path key, Optional<Path> password) -> {
                if (password.isPresent()) {
                    settings.certificate(chain, key, secret(password.get()));
                } else {
                    settings.certificate(chain, key);
                }
            }
            case Certificate.Store(Path store, String alias, Optional<Path> password) -> {
                String secret = password.map(Assembly::secret).orElse("");
                if (alias.isEmpty()) {
                    settings.store(store, secret);
                } else {
                    settings.store(store, secret, alias);
                }
            }
        }
    }

    /** The first line of a file. */
    private static String secret(Path file) {
        try {
            return Files.readString(file).lines().findFirst().orElse("");
        } catch (IOException e) {
            throw new UncheckedIOException("the password file " + file + " cannot be read", e);
        }
    }

    /** Where what the program makes for itself is kept: systemd says so, or the XDG conventions. */
    private static Path stateFolder() {
        Optional<String> service = Optional.ofNullable(System.getenv("STATE_DIRECTORY"));
        Optional<String> user = Optional.ofNullable(System.getenv("XDG_STATE_HOME"));
        return service.map(Path::of)
                .orElseGet(
                        () ->
                                user.map(Path::of)
                                        .orElse(
                                                Path.of(
                                                        System.getProperty("user.home"),
                                                        ".local",
                                                        "state"))
                                        .resolve("sirocco"));
    }

    // ---- the access log

    /** The one that is open goes on, where it is the same. */
    private Optional<AccessLog> log(Optional<Assembly> before) throws IOException {
        var wanted = configuration.accessLog();
        if (before.isPresent() && before.get().configuration.accessLog().equals(wanted)) {
            return before.get().log;
        }
        LogFormat format = wanted.format() == Format.JSON ? LogFormat.JSON : LogFormat.COMBINED;
        return switch (wanted.file()) {
            case LogFile.Unset() -> Optional.empty();
            case LogFile.StandardOutput() ->
                    Optional.of(
                            new AccessLog(
                                    io.sirocco.web.log.LogFile.standardOutput(),
                                    format,
                                    wanted.queue()));
            case LogFile.Named(Path path) ->
                    Optional.of(AccessLog.open(path, format, wanted.queue()));
        };
    }

    /** Closes what {@code next} does not go on with. */
    void closeBehind(Assembly next) {
        sites.close();
        log.filter(old -> next.log.filter(old::equals).isEmpty()).ifPresent(AccessLog::close);
    }

    /** It never came into force: closes what {@code before} does not go on with. */
    @Override
    public void close() {
        sites.close();
        log.ifPresent(AccessLog::close);
    }
}

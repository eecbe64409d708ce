// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Certificate;
import io.sirocco.app.config.ConfigError;
import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.app.config.Listen;
import io.sirocco.app.config.Problem;
import io.sirocco.http.Server;
import io.sirocco.net.Tls;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads every file that a configuration names and collects the errors, so that an operator sees all
 * of them at once. It binds no address and applies nothing. Used by one thread.
 */
final class Verification {
    private final Configuration configuration;
    private final List<Problem> problems = new ArrayList<>();
    private final Set<Problem> warnings = new LinkedHashSet<>();
    private boolean expires; // whether the end of a certificate matters

    private Verification(Configuration configuration) {
        this.configuration = configuration;
    }

    /**
     * Verifies a configuration.
     *
     * @param password of the command line, which overrides that of a file
     * @return warnings about certificates that expire soon
     * @throws InvalidConfiguration with all errors; a certificate that has expired is one, although
     *     a server starts with it
     */
    static List<Problem> verify(Configuration configuration, Optional<String> password)
            throws InvalidConfiguration {
        var verification = new Verification(configuration);
        verification.expires = true;
        verification.readAll(password);
        if (!verification.problems.isEmpty()) {
            throw InvalidConfiguration.of(verification.problems);
        }
        return List.copyOf(verification.warnings);
    }

    /**
     * Returns an exception with the errors of {@code first} and all further errors in the files
     * that the configuration names.
     */
    static InvalidConfiguration withAll(
            InvalidConfiguration first, Configuration configuration, Optional<String> password) {
        var verification = new Verification(configuration);
        verification.problems.addAll(first.problems());
        verification.readAll(password);
        return InvalidConfiguration.of(verification.problems);
    }

    private void readAll(Optional<String> password) {
        List<Listen> listen = configuration.listen();
        boolean shared = listen.stream().anyMatch(it -> it.tls() && it.own().isEmpty());
        certificates(configuration.tls(), shared, "tls");
        for (int i = 0; i < listen.size(); i++) {
            if (listen.get(i).own().isEmpty()) continue;
            certificates(listen.get(i).own().get(), true, "listen", i, "tls");
        }
        attempt(this::sites);
        attempt(() -> Keys.read(configuration.live(), password));
        attempt(() -> Channels.ticketSecret(configuration.live()));
        attempt(() -> Channels.brokerPassword(configuration.live()));
    }

    /** Verifies each certificate and, if all are valid, the table as a whole. */
    private void certificates(io.sirocco.app.config.Tls tls, boolean used, Object... table) {
        int before = problems.size();
        for (int i = 0; i < tls.certificates().size(); i++) {
            int index = i;
            attempt(() -> read(tls.certificates().get(index), index, table));
        }
        if (problems.size() > before) return;
        if (!tls.certificates().isEmpty()) {
            attempt(() -> TlsOptions.tls(tls, table));
        } else if (used) {
            attempt(() -> TlsOptions.engine(tls));
        }
    }

    private void read(Certificate certificate, int index, Object... table) {
        Tls tls = Tls.of(settings -> TlsOptions.add(settings, certificate, index, table));
        if (!expires) return;
        for (X509Certificate each : tls.certificates()) {
            Optional<String> why = CertificateExpiry.warning(each);
            if (why.isEmpty()) continue;
            ConfigError error = TlsOptions.error(why.get(), certificate, index, table);
            if (CertificateExpiry.isExpired(each)) throw error;
            warnings.add(error.warning(configuration));
        }
    }

    private void sites() {
        try (var sites = new Sites(SharedState.create(), configuration, Optional.empty(), false)) {
            Server.create(
                    config -> config.port(0), routes -> sites.add(configuration.sites(), routes));
        }
    }

    private void attempt(Runnable reading) {
        try {
            reading.run();
        } catch (ConfigError e) {
            problems.add(e.problem(configuration));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.ConfigError;
import io.sirocco.app.config.Tls;
import io.sirocco.net.TlsEngines;
import io.sirocco.net.TlsPolicy;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.tls.JdkEngines;
import java.lang.System.Logger.Level;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;

/** Finds the TLS engine that {@code [tls]} chooses among the modules present. Any thread. */
final class Engines {
    private static final LazyLogger LOG = LazyLogger.of(Engines.class);

    private Engines() {}

    /**
     * Returns the TLS engine; empty for the JDK itself.
     *
     * @param modules where to look for it
     * @throws ConfigError if it is not present
     */
    static Optional<TlsEngines.Kind> chosen(Tls.Engine engine, ClassLoader modules) {
        if (engine == Tls.Engine.JDK) return Optional.empty();
        if (engine == Tls.Engine.AUTO) return named("openssl", modules).map(Preferred::new);
        String name = engine.name().toLowerCase(Locale.ROOT);
        return Optional.of(
                named(name, modules)
                        .<TlsEngines.Kind>map(Placed::new)
                        .orElseThrow(() -> new ConfigError(missing(name), "tls", "engine")));
    }

    private static Optional<TlsEngines.Kind> named(String name, ClassLoader modules) {
        return ServiceLoader.load(TlsEngines.Kind.class, modules).stream()
                .map(ServiceLoader.Provider::get)
                .filter(kind -> kind.name().equals(name))
                .findFirst();
    }

    private static IllegalArgumentException missing(String name) {
        return new IllegalArgumentException(
                "the engine \"%1$s\" is not installed; put sirocco-%1$s.jar next to the other jars, or write \"jdk\""
                        .formatted(name));
    }

    /**
     * Engines of one kind where it can be used and passes a trial, else those of the JDK, which
     * also report what is wrong with the policy itself.
     */
    record Preferred(TlsEngines.Kind kind) implements TlsEngines.Kind {
        @Override
        public String name() {
            return "auto";
        }

        @Override
        public TlsEngines engines(TlsPolicy policy) {
            try {
                TlsEngines engines = kind.engines(policy);
                TrialHandshake.of(engines);
                return engines;
            } catch (IllegalArgumentException | LinkageError e) {
                LOG.get().log(Level.DEBUG, "TLS uses the JDK, not " + kind.name(), e);
                return JdkEngines.of(policy);
            }
        }
    }

    /** Reports the errors of an engine at the option that chooses it. */
    private record Placed(TlsEngines.Kind kind) implements TlsEngines.Kind {
        @Override
        public String name() {
            return kind.name();
        }

        @Override
        public TlsEngines engines(TlsPolicy policy) {
            try {
                return kind.engines(policy);
            } catch (IllegalArgumentException e) {
                throw new ConfigError(e, "tls", "engine");
            }
        }
    }
}

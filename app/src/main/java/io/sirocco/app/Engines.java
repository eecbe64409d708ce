// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.ConfigError;
import io.sirocco.app.config.Tls;
import io.sirocco.net.TlsEngines;
import io.sirocco.net.TlsPolicy;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;

/** Finds the TLS engine that {@code [tls]} chooses among the modules present. Any thread. */
final class Engines {
    private Engines() {}

    /**
     * Returns the TLS engine; empty for the JDK itself.
     *
     * @param modules where to look for it
     * @throws ConfigError if it is not present
     */
    static Optional<TlsEngines.Kind> chosen(Tls.Engine engine, ClassLoader modules) {
        if (engine == Tls.Engine.JDK) return Optional.empty();
        String name = engine.name().toLowerCase(Locale.ROOT);
        return Optional.of(
                ServiceLoader.load(TlsEngines.Kind.class, modules).stream()
                        .map(ServiceLoader.Provider::get)
                        .filter(kind -> kind.name().equals(name))
                        .findFirst()
                        .<TlsEngines.Kind>map(Placed::new)
                        .orElseThrow(() -> new ConfigError(missing(name), "tls", "engine")));
    }

    private static IllegalArgumentException missing(String name) {
        return new IllegalArgumentException(
                "the engine \"%1$s\" is not installed; put sirocco-%1$s.jar next to the other jars, or write \"jdk\""
                        .formatted(name));
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

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Tls;
import io.sirocco.net.TlsEngines;
import io.sirocco.net.TlsPolicy;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;

/** The engines that {@code [tls]} can choose, of the modules that are there. Any thread. */
final class Engines {
    private Engines() {}

    /**
     * What speaks TLS; empty for the JDK itself.
     *
     * @param modules where to look for it
     * @throws Misfit when it is not there
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
                        .orElseThrow(() -> new Misfit(missing(name), "tls", "engine")));
    }

    private static IllegalArgumentException missing(String name) {
        return new IllegalArgumentException(
                "the engine \"%1$s\" is not there: put sirocco-%1$s.jar beside the other jars, or write \"jdk\""
                        .formatted(name));
    }

    /** What it refuses is told with the place of the option that has chosen it. */
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
                throw new Misfit(e, "tls", "engine");
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.openssl;

import io.sirocco.net.TlsEngine;
import io.sirocco.net.TlsEngines;
import io.sirocco.net.TlsPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The engines of one policy. What seals tickets is renewed with the contexts, once in the lifetime
 * of a session, at most once an hour. Any thread.
 */
final class OpenSslEngines implements TlsEngines {
    private static final long HOUR = Duration.ofHours(1).toNanos();

    private final TlsPolicy policy;
    private final long lifetime; // of the keys for tickets
    private final ConcurrentHashMap<List<String>, Contexts> byProtocols = new ConcurrentHashMap<>();

    OpenSslEngines(TlsPolicy policy) {
        this(policy, Math.max(HOUR, policy.sessionLifetime().toNanos()));
    }

    /**
     * @param lifetime nanoseconds after which a context is replaced
     */
    OpenSslEngines(TlsPolicy policy, long lifetime) {
        this.policy = policy;
        this.lifetime = lifetime;
        new Contexts(policy, List.of()); // says what of it cannot be
    }

    @Override
    public TlsEngine engine(List<String> protocols) {
        return new OpenSslEngine(contexts(protocols), Wire.ofThread());
    }

    Contexts contexts(List<String> protocols) {
        Contexts known = byProtocols.get(protocols);
        return known != null && known.age() < lifetime
                ? known
                : byProtocols.compute(protocols, this::renewed);
    }

    private Contexts renewed(List<String> protocols, Contexts known) {
        return known != null && known.age() < lifetime ? known : new Contexts(policy, protocols);
    }
}

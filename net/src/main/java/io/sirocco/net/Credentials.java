// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The certificates of a server by the names that clients ask for. Immutable. */
public final class Credentials {
    private final List<Credential> all;
    private final Map<String, List<Credential>> byName = new HashMap<>();

    Credentials(List<Credential> all) {
        this.all = List.copyOf(all);
        for (Credential each : all) {
            for (String name : each.names()) {
                byName.computeIfAbsent(name, n -> new ArrayList<>()).add(each);
            }
        }
    }

    /** Returns all certificates, in the order in which they were added. */
    public List<Credential> all() {
        return all;
    }

    /**
     * Returns the certificates for {@code host}: those with its exact name, else those with a
     * wildcard for it (RFC 9525 6.3); an empty list if there is none. Several have different kinds
     * of keys, and the engine picks one that the client can check.
     */
    public List<Credential> named(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        List<Credential> exact = byName.get(name);
        if (exact != null) {
            return exact;
        }
        int dot = name.indexOf('.');
        return dot < 0 ? List.of() : byName.getOrDefault("*" + name.substring(dot), List.of());
    }

    /**
     * Returns the certificates of which a client gets one that asks for {@code host}, or for no
     * name.
     */
    List<Credential> given(Optional<String> host) {
        List<Credential> fitting = host.map(this::named).orElse(List.of());
        return fitting.isEmpty() ? standIns() : fitting;
    }

    /**
     * Returns the certificates for a name that none has: the first one, and those with the same
     * names.
     */
    public List<Credential> standIns() {
        Credential first = all.getFirst();
        return first.names().isEmpty() ? List.of(first) : byName.get(first.names().getFirst());
    }
}

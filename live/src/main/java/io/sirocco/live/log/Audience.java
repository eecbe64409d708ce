// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.log;

import io.sirocco.live.broker.Publication;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * Somebody who asks for what they have missed: which messages were for them. Immutable.
 *
 * @param namespace where they are
 * @param client their id
 * @param rooms which they are in; among them that of their id
 */
public record Audience(String namespace, String client, Set<String> rooms) {

    /** Of a client who is in {@code rooms}. */
    public static Audience of(String namespace, String client, Collection<String> rooms) {
        var all = new HashSet<>(rooms);
        all.add(client);
        return new Audience(namespace, client, all);
    }

    /** Whether this one is to be replayed to them. */
    public boolean hears(Publication publication) {
        return publication.kept()
                && publication.namespace().equals(namespace)
                && isIn(publication.rooms())
                && !publication.except().contains(client);
    }

    private boolean isIn(Set<String> any) {
        if (any.isEmpty()) {
            return true;
        }
        for (String room : any) {
            if (rooms.contains(room)) {
                return true;
            }
        }
        return false;
    }
}

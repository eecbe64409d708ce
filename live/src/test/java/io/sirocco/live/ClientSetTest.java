// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A set of clients is what a set of the JDK is. */
class ClientSetTest {
    @Test
    void itHoldsWhatWasAddedAndNotRemoved() throws Exception {
        try (var service = new Service(c -> {});
                Peer _ = Peer.client(service.port)) {
            Namespace namespace = service.live.clients().iterator().next().namespace();
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                clients.add(Client.fresh(namespace, Admission.anybody(), false, Map.of()));
            }
            var random = new Random(1);
            var set = new ClientSet();
            Set<Client> wanted = new HashSet<>();
            for (int i = 0; i < 50_000; i++) {
                Client client = clients.get(random.nextInt(1 + i % 1_000));
                if (random.nextInt(i < 25_000 ? 3 : 5) < 2) {
                    assertEquals(wanted.add(client), set.add(client));
                } else {
                    assertEquals(wanted.remove(client), set.remove(client));
                }
                assertEquals(wanted.size(), set.size());
                assertEquals(wanted.contains(client), set.contains(client));
            }
            assertEquals(wanted, new HashSet<>(set));
            for (Client client : clients) {
                set.remove(client);
            }
            assertEquals(0, set.size());
            assertFalse(set.iterator().hasNext());
        }
    }
}

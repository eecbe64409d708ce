// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that another node takes are looked up while messages wait: by an index. */
class ManyMovesTest {

    @Test
    void aClientIsFoundByItsPidUntilItHasGone() {
        try (var service = new Service(c -> c.recovery(Duration.ofMinutes(2)))) {
            Namespace namespace = service.live;
            Client first = client(namespace);
            Client second = client(namespace);
            Client plain = Client.fresh(namespace, Admission.anybody(), false, Map.of());
            List.of(first, second, plain).forEach(namespace::add);
            assertSame(first, namespace.withPid(first.pid()).orElseThrow());
            assertSame(second, namespace.withPid(second.pid()).orElseThrow());
            namespace.remove(first);
            namespace.remove(plain);
            assertEquals(Optional.empty(), namespace.withPid(first.pid()));
            namespace.remove(second);
            assertEquals(0, namespace.size());
        }
    }

    @Tag("heavy")
    @Test
    void twentyThousandClientsThatMoveDoNotHoldUpDelivery() {
        try (var service = new Service(c -> c.recovery(Duration.ofMinutes(2)))) {
            Namespace namespace = service.live;
            List<Client> all = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                Client client = client(namespace);
                namespace.add(client);
                all.add(client);
            }
            long start = System.nanoTime();
            all.forEach(client -> assertSame(client, namespace.withPid(client.pid()).get()));
            long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            assertTrue(took < 1_000, took + " ms"); // 11 s when each was looked for among all
        }
    }

    private static Client client(Namespace namespace) {
        return Client.fresh(namespace, Admission.anybody(), true, Map.of());
    }
}

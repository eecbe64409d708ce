// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What is mounted answers below its path, and is told before the server stops. */
class MountTest {

    private static final class Guest implements Mount {
        final CompletableFuture<Void> told = new CompletableFuture<>();
        final CompletableFuture<Void> ready = new CompletableFuture<>();

        @Override
        public void addTo(Routes routes) {
            routes.get("", r -> Response.text("top")).get("/*", r -> Response.text(r.param("*")));
        }

        @Override
        public CompletionStage<?> drain() {
            told.complete(null);
            return ready;
        }
    }

    @Test
    void connectionsThatAreOpenAreServedUntilItIsReady() {
        var guest = new Guest();
        try (var serving =
                        new Serving(
                                TransportKind.NIO,
                                c -> {},
                                routes -> routes.mount("/guest", guest));
                Client client = serving.client()) {
            client.send("GET /guest HTTP/1.1\nHost: a\n\n");
            client.until("top");
            var stop =
                    CompletableFuture.supplyAsync(
                            () -> serving.server.stop(Duration.ofSeconds(10)));
            guest.told.join();
            client.send("GET /guest/a/b HTTP/1.1\nHost: a\n\n");
            client.until("a/b");
            assertTrue(!stop.isDone());
            guest.ready.complete(null);
            assertEquals(true, stop.join());
        }
    }

    @Test
    void oneThatThrowsIsNotInTheWayOfTheStop() {
        var broken =
                new Mount() {
                    @Override
                    public void addTo(Routes routes) {
                        routes.get("", r -> Response.text("broken"));
                    }

                    @Override
                    public CompletionStage<?> drain() {
                        throw new IllegalStateException("as told");
                    }
                };
        var guest = new Guest();
        guest.ready.complete(null);
        try (var serving =
                new Serving(
                        TransportKind.NIO,
                        c -> {},
                        routes -> routes.mount("/broken", broken).mount("/guest", guest))) {
            assertTrue(serving.server.stop(Duration.ofSeconds(10)));
            assertTrue(guest.told.isDone());
        }
    }
}

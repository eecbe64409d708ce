// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.live.client.Connected;
import io.sirocco.live.client.LiveClient;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/**
 * Connects many clients to {@link LiveGate}, a limited number at a time, on two event loops. A
 * client counts when it is authenticated, and stays connected.
 */
public final class LiveRush {

    /** The connected clients, and how long it took by a monotonic clock. */
    record Crowd(List<LiveClient> clients, Duration took) implements AutoCloseable {
        @Override
        public void close() {
            clients.forEach(LiveClient::close);
        }
    }

    /** Connects the clients; throws if one of them is refused. */
    static Crowd open(Loops loops, String url, String password, int clients, int inFlight)
            throws InterruptedException {
        long began = System.nanoTime();
        var crowd = new ArrayList<LiveClient>();
        var slots = new Semaphore(inFlight);
        var all = new ArrayList<CompletableFuture<Connected>>();
        for (int i = 0; i < clients; i++) {
            slots.acquire();
            LiveClient client =
                    LiveClient.create(url, c -> c.auth(Map.of("password", password)).loops(loops));
            crowd.add(client);
            all.add(client.connect().whenComplete((connected, thrown) -> slots.release()));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
        return new Crowd(crowd, Duration.ofNanos(System.nanoTime() - began));
    }

    void main(String[] arguments) throws IOException, InterruptedException {
        String url = "http://127.0.0.1:" + (arguments.length == 0 ? "8080" : arguments[0]);
        IO.println("connecting to " + url + ", where LiveGate.java must run");
        try (Loops loops = Loops.start(s -> s.loops(2));
                Crowd crowd = open(loops, url, "secret", 1_000, 30)) {
            long millis = crowd.took().toMillis();
            IO.println(crowd.clients().size() + " clients in " + millis + " ms");
        }
    }
}

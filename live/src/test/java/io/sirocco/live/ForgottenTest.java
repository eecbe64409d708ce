// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Config;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A server may be told of other channels while it runs: those of before leave nothing behind. */
class ForgottenTest {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

    @Test
    void channelsThatWereClosedAreForgottenThoughTheirServerGoesOn() throws InterruptedException {
        Server server = Server.start(ForgottenTest::listen, routes -> {});
        try {
            var forgotten = new ReferenceQueue<Live>();
            WeakReference<Live> closed = servedAndClosed(server, forgotten);
            long giveUp = System.nanoTime() + PATIENCE;
            while (forgotten.remove(100) != closed) {
                assertTrue(System.nanoTime() < giveUp, "somebody still holds it");
                System.gc();
            }
        } finally {
            server.stop(Duration.ofMillis(200));
        }
    }

    private static WeakReference<Live> servedAndClosed(
            Server server, ReferenceQueue<Live> forgotten) {
        Live live = Live.create(c -> c.recovery(Duration.ofSeconds(2)));
        reload(server, routes -> routes.mount("/socket.io", live));
        Peer peer = Peer.client(server.port());
        live.close();
        peer.end();
        reload(server, routes -> {});
        return new WeakReference<>(live, forgotten);
    }

    private static void reload(Server server, Consumer<Routes> routes) {
        server.reload(ForgottenTest::listen, routes);
    }

    private static void listen(Config config) {
        config.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.BrokerBehaviour;
import io.sirocco.live.broker.Depth;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** The same as that of memory, with a real server. */
@Tag("peers")
class RedisBrokerTest extends BrokerBehaviour {
    private static RedisServer server;

    @BeforeAll
    static void startServer() throws Exception {
        server = RedisServer.start();
    }

    @AfterAll
    static void stopServer() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void empty() {
        try (var client = server.client()) {
            client.flushAll();
        }
    }

    @Override
    protected Broker broker() {
        return RedisBroker.at(server.url());
    }

    @Override
    protected Broker shallow() {
        var depth = new Depth(20, 1 << 20, Duration.ofMinutes(1));
        return RedisBroker.at(server.url(), c -> c.prefix("shallow").depth(depth));
    }
}

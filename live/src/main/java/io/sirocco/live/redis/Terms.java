// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import io.sirocco.live.broker.Depth;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** {@link RedisSettings}, frozen. Immutable. */
record Terms(
        Door door,
        String prefix,
        Duration deadline,
        Duration lease,
        Duration startTimeout,
        Depth depth,
        int waiting,
        long waitingBytes) {

    /** The server. */
    record Door(
            String host,
            int port,
            boolean tls,
            Optional<SSLContext> context,
            Optional<String> user,
            Optional<String> password,
            int database) {

        /** For messages: without the password. */
        @Override
        public String toString() {
            return (tls ? "rediss://" : "redis://") + host + ":" + port + "/" + database;
        }
    }
}

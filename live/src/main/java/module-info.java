// SPDX-License-Identifier: Apache-2.0

/** Event channels on the wire protocol of Socket.IO. */
module io.sirocco.live {
    requires transitive io.sirocco.http;
    requires static redis.clients.jedis; // where there are several nodes
    requires transitive tools.jackson.databind;
    requires com.nimbusds.jose.jwt;

    exports io.sirocco.live;
    exports io.sirocco.live.broker;
    exports io.sirocco.live.client;
    exports io.sirocco.live.redis;
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.cluster;

import io.sirocco.http.Server;
import io.sirocco.live.Arguments;
import io.sirocco.live.Live;
import io.sirocco.live.redis.RedisBroker;
import io.sirocco.live.redis.RedisSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * One node of a channel service, in a JVM of its own: {@code NAME PORT REDIS}. It says {@code
 * ready}, stops in order when it is told to by SIGTERM, and when its input ends.
 */
final class ClusterNode {
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private ClusterNode() {}

    public static void main(String[] arguments) throws IOException {
        String name = arguments[0];
        Live live =
                Live.create(
                        c ->
                                c.broker(RedisBroker.at(arguments[2], ClusterNode::patient))
                                        .recovery(Duration.ofMinutes(2))
                                        .anyConnects()); // all come from one address
        live.onRequest("where", (client, none) -> name);
        live.onRequest(
                "join",
                (client, rooms) -> {
                    for (int i = 0; i < rooms.size(); i++) {
                        client.join(rooms.asString(i));
                    }
                    return null;
                });
        live.onRequest(
                "publish",
                (client, all) -> {
                    Object[] rest = rest(all);
                    client.room(all.asString(0))
                            .send(all.asString(1), rest)
                            .toCompletableFuture()
                            .join(); // acknowledged when it is certain
                    return null;
                });
        var address = new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[1]));
        Server server =
                Server.start(c -> c.listen(address), routes -> routes.mount("/socket.io", live));
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    server.stop(LONGEST);
                                    live.close();
                                }));
        System.out.println("ready");
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0); // whoever has started it is gone
    }

    /** The machine may be busy: what is slow is to be late, not to fail. */
    private static void patient(RedisSettings settings) {
        settings.deadline(Duration.ofSeconds(10)).lease(Duration.ofSeconds(20));
    }

    private static Object[] rest(Arguments all) {
        var rest = new Object[all.size() - 2];
        for (int i = 0; i < rest.length; i++) {
            rest[i] = all.as(i + 2, Object.class);
        }
        return rest;
    }
}

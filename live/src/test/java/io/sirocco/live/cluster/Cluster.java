// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.cluster;

import io.sirocco.live.redis.RedisServer;
import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Three nodes, a Redis that they share, and a balancer before them. Used by one thread. */
final class Cluster implements AutoCloseable {
    /** Which one, of those whose configuration is an example. */
    interface Before {
        Balancer start(List<Integer> ports) throws IOException;
    }

    private static final Path CONFIGURATION = Path.of("../examples/live-cluster/redis.conf");

    private final RedisServer redis;
    private final Map<String, NodeProcess> nodes = new LinkedHashMap<>();
    private Balancer balancer;

    private Cluster() throws IOException, InterruptedException {
        redis = RedisServer.start(CONFIGURATION.toAbsolutePath().toString());
    }

    static Cluster start(Before before) throws IOException, InterruptedException {
        var cluster = new Cluster();
        try {
            cluster.begin(before);
            return cluster;
        } catch (IOException | RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
    }

    private void begin(Before before) throws IOException {
        var ports = new ArrayList<Integer>();
        for (String name : List.of("a", "b", "c")) {
            int port = FreePort.tcp();
            ports.add(port);
            var node = new NodeProcess(name, port, redis.url());
            nodes.put(name, node);
            node.begin();
        }
        for (NodeProcess node : nodes.values()) {
            node.awaitReady();
        }
        balancer = before.start(ports);
    }

    RedisServer redis() {
        return redis;
    }

    NodeProcess node(String name) {
        return nodes.get(name);
    }

    /** Where clients connect to. */
    String url() {
        return balancer.url();
    }

    @Override
    public void close() throws IOException {
        if (balancer != null) {
            balancer.close();
        }
        nodes.values().forEach(NodeProcess::close);
        redis.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.Call;
import io.sirocco.bench.Load;
import io.sirocco.bench.live.LivePlan;
import io.sirocco.bench.live.LiveWork;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * One kind of load, and what answers to it are right. Immutable.
 *
 * @param needs the work of bench/peers/README.md that a peer must do for this one
 */
record Work(
        String name,
        String title,
        String text,
        String needs,
        List<Exchange> exchanges,
        Shape shape) {

    /** What puts the load on. */
    enum Tool {
        /** Our generator. */
        SIROCCO,
        /** ab(1), which closes a connection after each request of HTTP/1.0. */
        AB,
        /** Our clients of event channels. */
        LIVE
    }

    /**
     * How requests come.
     *
     * @param connections open at once
     * @param pipeline requests in one write; of clients of event channels, what is in flight
     * @param close whether each has a connection of its own
     * @param live what clients of event channels do
     */
    record Shape(Tool tool, int connections, int pipeline, boolean close, Optional<LiveWork> live) {
        private Shape(Tool tool, int connections, int pipeline, boolean close) {
            this(tool, connections, pipeline, close, Optional.empty());
        }

        static Shape keepAlive(int connections) {
            return new Shape(Tool.SIROCCO, connections, 1, false);
        }

        static Shape pipelined(int connections, int pipeline) {
            return new Shape(Tool.SIROCCO, connections, pipeline, false);
        }

        static Shape closing(int connections) {
            return new Shape(Tool.SIROCCO, connections, 1, true);
        }

        static Shape ab(int connections) {
            return new Shape(Tool.AB, connections, 1, true);
        }

        static Shape live(LiveWork work, int clients, int inFlight) {
            return new Shape(Tool.LIVE, clients, inFlight, false, Optional.of(work));
        }
    }

    /** How often ab is run, whatever the race says: as its published benchmark did. */
    static final int AB_RUNS = 15;

    /** What admits clients of event channels. */
    static final String LIVE_PASSWORD = "secret";

    /** How many requests ab makes each time. */
    static final int AB_REQUESTS = 1_000;

    int rounds(int asked) {
        return shape.tool == Tool.AB ? AB_RUNS : asked;
    }

    /** The load for our generator. */
    Load load(InetSocketAddress server, Duration time) {
        String host = host(server);
        var calls =
                exchanges.stream()
                        .map(
                                e ->
                                        Call.of("GET", host, e.path(), e.fields(), new byte[0])
                                                .times(e.weight()))
                        .toList();
        boolean weighted = exchanges.stream().anyMatch(e -> e.weight() > 1);
        return Load.on(
                server,
                calls,
                load ->
                        load.connections(shape.connections)
                                .pipeline(shape.pipeline)
                                .close(shape.close)
                                .order(weighted ? Load.Order.WEIGHTED : Load.Order.ROUND_ROBIN)
                                .duration(time));
    }

    /**
     * The plan for our clients of event channels.
     *
     * @param cpuMicros what the server has used until now
     */
    LivePlan plan(InetSocketAddress server, Duration time, LongSupplier cpuMicros) {
        LiveWork live = shape.live.orElseThrow();
        return LivePlan.on(
                server,
                host(server),
                "/socket.io/",
                live,
                plan ->
                        plan.password(LIVE_PASSWORD)
                                .clients(shape.connections)
                                .inFlight(shape.pipeline)
                                .times(live == LiveWork.CONNECT ? Integer.MAX_VALUE : 1)
                                .duration(time) // also of so many times
                                .cpuMicros(cpuMicros));
    }

    /** What is counted, in words. */
    String unit() {
        return shape.live.map(live -> live.unit).orElse("request");
    }

    /** The value of the Host field. */
    static String host(InetSocketAddress server) {
        return server.getAddress().getHostAddress() + ":" + server.getPort();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static io.sirocco.bench.compare.BasicWorks.ECHO;
import static io.sirocco.bench.compare.Work.Shape.ab;
import static io.sirocco.bench.compare.Work.Shape.closing;
import static io.sirocco.bench.compare.Work.Shape.keepAlive;

import java.util.List;

/** Works that others have published figures of: as they did it, and as it compares fairly. */
final class PublishedWorks {
    private static final Exchange THREE = Exchange.text("/three", "abc");
    static final List<Work> ALL =
            List.of(
                    literalAb(30),
                    literalAb(1_000),
                    fairEcho(30),
                    fairEcho(1_000),
                    new Work(
                            "fire-io-rest-close",
                            "3 bytes, a connection for each request, 25 at once",
                            "GET /three; as siege -b -c 25 -t 5s did for Fire-IO. Not to be compared"
                                    + " with fire-io-rest-keep.",
                            "fire-io-rest",
                            List.of(THREE),
                            closing(25)),
                    new Work(
                            "fire-io-rest-keep",
                            "3 bytes, keep-alive, 64 connections",
                            "GET /three on connections that stay open."
                                    + " By hand: wrk -t1 -c64 URL/three",
                            "fire-io-rest",
                            List.of(THREE),
                            keepAlive(64)));

    private PublishedWorks() {}

    /** Qurricane's published benchmark as it was done. */
    private static Work literalAb(int connections) {
        return new Work(
                "qurricane-ab-" + connections,
                "ab -n 1000 -c " + connections + ", " + Work.AB_RUNS + " runs",
                "GET /echo, HTTP/1.0, by ab itself: 1,000 requests, and no warm-up, so the first run"
                        + " is the cold one where no other work came before. As Qurricane did, who"
                        + " gave the best of 15; but these servers all answer 200 and the same bytes."
                        + " A run lasts some ticks of CPU time only, so its rate says more than its CPU"
                        + " time. ab tells no p99.9: that is the longest.",
                "echo19",
                List.of(ECHO),
                ab(connections));
    }

    private static Work fairEcho(int connections) {
        return new Work(
                "qurricane-" + connections,
                "19 bytes, a connection for each request, " + connections + " at once",
                "GET /echo with Connection: close, for as long as the other works and warmed up."
                        + " By hand: ./sirocco bench http URL/echo -c "
                        + connections
                        + " --close",
                "echo19",
                List.of(ECHO),
                closing(connections));
    }
}

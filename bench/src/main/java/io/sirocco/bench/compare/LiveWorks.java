// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static io.sirocco.bench.compare.Work.Shape.live;

import io.sirocco.bench.live.LiveWork;
import java.util.List;

/** Works of servers of event channels. */
final class LiveWorks {
    static final List<Work> ALL =
            List.of(
                    new Work(
                            "live-connect",
                            "1,000 clients connect, 30 at once, again and again",
                            "POST /ticket with a password over a connection that stays open, a WebSocket,"
                                    + " CONNECT with the ticket; when all are there they leave, which costs"
                                    + " CPU time, too, and is in no rate. By hand: ./sirocco bench live URL"
                                    + " --connect --password secret --times 20",
                            "live-connect",
                            List.of(),
                            live(LiveWork.CONNECT, 1_000, 30)),
                    new Work(
                            "live-echo",
                            "64 clients, each with one request on its way",
                            "An event with 32 bytes that is acknowledged with the same. By hand: ./sirocco"
                                    + " bench live URL --echo -n 64 --password secret",
                            "live-echo",
                            List.of(),
                            live(LiveWork.ECHO, 64, 1)),
                    new Work(
                            "live-fanout",
                            "messages to 1,000 clients in a room, 8 on their way",
                            "One publishes, all others get it; the next is sent when one has reached all."
                                    + " Latency is from its sending to each. By hand: ./sirocco bench live URL"
                                    + " --fanout --password secret",
                            "live-fanout",
                            List.of(),
                            live(LiveWork.FANOUT, 1_000, 8)));

    private LiveWorks() {}
}

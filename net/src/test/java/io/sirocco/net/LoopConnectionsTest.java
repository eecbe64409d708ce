// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.OnEachTransport;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Walks over the connections of a loop, and the end of a loop that has many. */
@OnEachTransport
class LoopConnectionsTest {
    private static final int MANY = 1_500; // more than a turn visits

    @Parameter TransportKind transport;
    private Rig rig;
    private final Set<Connection> opened = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<CloseCause> ends = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void start() {
        rig = new Rig(transport);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    private void open(int count) throws Exception {
        Listener listener =
                rig.listen(
                        connection -> {
                            opened.add(connection);
                            return new Protocol() {
                                @Override
                                public int received(Connection c, byte[] bytes, int from, int to) {
                                    return to;
                                }

                                @Override
                                public void closed(Connection c, CloseCause cause) {
                                    ends.add(cause);
                                }
                            };
                        });
        for (int i = 0; i < count; i++) {
            rig.connect(listener);
        }
        Rig.until("all are open", () -> opened.size() == count);
    }

    @Test
    void allAreClosedWhenTheLoopStops() throws Exception {
        open(MANY);
        rig.loops().close();
        assertEquals(MANY, ends.size());
        assertEquals(Set.of(CloseCause.STOPPED), Set.copyOf(ends));
    }

    @Test
    void aWalkInTurnsVisitsEachOnceAndLeavesTurnsToOthers() throws Exception {
        open(MANY);
        var visited = new ArrayList<Protocol>();
        var between = new ArrayList<Integer>();
        Rig.on(
                rig.loop(),
                () -> {
                    rig.loop().forEachProtocolInTurns(visited::add);
                    between.add(visited.size());
                });
        Rig.until("all are visited", () -> Rig.ask(rig.loop(), visited::size) == MANY);
        Rig.settle(rig.loop());
        assertEquals(MANY, Set.copyOf(visited).size());
        assertTrue(between.getFirst() < MANY, "all in one turn");
    }

    @Test
    void aWalkGoesOnWhenConnectionsGoMeanwhile() throws Exception {
        open(MANY);
        var visited = new ArrayList<Protocol>();
        Rig.on(
                rig.loop(),
                () -> {
                    rig.loop().forEachProtocolInTurns(visited::add);
                    opened.forEach(Connection::abort);
                });
        Rig.until("all are closed", () -> ends.size() == MANY);
        Rig.settle(rig.loop());
        int seen = Rig.ask(rig.loop(), visited::size);
        assertTrue(seen > 0 && seen < MANY, "visited " + seen);
        assertEquals(seen, Rig.ask(rig.loop(), () -> Set.copyOf(visited).size()));
    }

    @Test
    void aWalkGoesOnBehindAFailure() throws Exception {
        open(MANY);
        var visited = new ArrayList<Protocol>();
        Rig.on(
                rig.loop(),
                () ->
                        rig.loop()
                                .execute(
                                        () ->
                                                rig.loop()
                                                        .forEachProtocolInTurns(
                                                                protocol -> {
                                                                    visited.add(protocol);
                                                                    if (visited.size() == 1) {
                                                                        throw new IllegalStateException(
                                                                                "x");
                                                                    }
                                                                })));
        Rig.until("all are visited", () -> Rig.ask(rig.loop(), visited::size) == MANY);
    }
}

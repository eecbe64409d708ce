// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans that make sense, how they spread, and others. */
class HoldPlanTest {
    private static final InetSocketAddress SERVER = new InetSocketAddress("127.0.0.1", 80);

    private static void refused(String why, String target, Consumer<HoldPlan> configure) {
        var wrong =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> HoldPlan.of(SERVER, "test", target, configure));
        assertTrue(wrong.getMessage().contains(why), wrong.getMessage());
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        refused("connections must be", "/", plan -> plan.connections(0));
        refused("the ramp must be", "/", plan -> plan.ramp(0));
        refused("a think time must be", "/", plan -> plan.think(new Span(0, 5)));
        refused("processes must be", "/", plan -> plan.connections(3).processes(4));
        refused("there must be a length", "/" + Question.PLACE, plan -> {});
        refused("a request must be at most", "/" + "x".repeat(9_000), plan -> {});
        refused("the target", "/a b", plan -> {});
        refused(
                "addresses of the same kind",
                "/",
                plan -> plan.sources(List.of(InetAddress.ofLiteral("::1"))));
        refused("a gigabyte", "/", plan -> plan.length(Optional.of(new Span(0, (1L << 30) + 1))));
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 1, 1",
        "127.0.0.1, 10000, 1",
        "127.0.0.1, 10001, 2",
        "127.9.9.9, 400000, 40",
        "127.0.0.1, 10000000, 1000",
        "192.0.2.1, 400000, 0",
        "::1, 400000, 0"
    })
    void aLoopbackServerIsAskedFromAsManyAddressesAsTheConnectionsNeed(
            String server, int connections, int count) {
        List<InetAddress> sources = LoopbackSources.of(InetAddress.ofLiteral(server), connections);
        assertEquals(count, sources.size());
        assertEquals(count, sources.stream().distinct().count());
        assertTrue(sources.stream().allMatch(InetAddress::isLoopbackAddress));
        if (count > 0) {
            assertEquals(InetAddress.ofLiteral("127.0.0.2"), sources.getFirst());
        }
        if (count > 254) {
            assertEquals(InetAddress.ofLiteral("127.0.1.0"), sources.get(254));
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 19800, 1", "19800, 19800, 1", "19801, 19800, 2", "400000, 19800, 21"})
    void aProcessHoldsAsManyAsItMayHaveFilesOpen(int connections, long room, int processes) {
        assertEquals(processes, Spread.needed(connections, room));
        assertEquals(1, Spread.needed(connections, Long.MAX_VALUE));
    }
}

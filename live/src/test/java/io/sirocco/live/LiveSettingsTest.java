// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Limit;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a program may ask for. */
class LiveSettingsTest {
    @Test
    void whatCannotBeSetIsSaidByItsName() {
        Duration none = Duration.ZERO;
        Duration past = Duration.ofSeconds(-1);
        Duration second = Duration.ofSeconds(1);
        Map<String, Consumer<LiveSettings>> bad =
                Map.ofEntries(
                        Map.entry("recovery", c -> c.recovery(past)),
                        Map.entry("history", c -> c.history("a", 1, none)),
                        Map.entry("ping", c -> c.ping(none, second)),
                        Map.entry("connectTimeout", c -> c.connectTimeout(none)),
                        Map.entry("handlerTimeout", c -> c.handlerTimeout(past)),
                        Map.entry("count", c -> c.messages(new Limit.Bucket(0, second))),
                        Map.entry("per", c -> c.messages(new Limit.Bucket(1, none))),
                        Map.entry(
                                "silence",
                                c -> c.connects(new Limit.UntilSilence(1, Duration.ofNanos(9)))),
                        Map.entry("bytes", c -> c.bytes(-1)),
                        Map.entry("backlog", c -> c.backlog(2, 0)),
                        Map.entry("maxMessage", c -> c.maxMessage(0)),
                        Map.entry("rooms", c -> c.rooms(-1)),
                        Map.entry("budget", c -> c.budget(0, Overflow.CLOSE)));
        bad.forEach(
                (name, settings) -> {
                    Exception thrown =
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> Live.create(settings),
                                    name);
                    assertTrue(thrown.getMessage().startsWith(name + " must be"), name);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"connect", "connect_error", "disconnect", "newListener"})
    void anEventThatClientsKnowOtherwiseIsNotSent(String event) {
        Live live = Live.create(c -> {});
        Exception thrown =
                assertThrows(IllegalArgumentException.class, () -> live.broadcast(event, 1));
        assertEquals(
                "'" + event + "' is reserved by the protocol: choose another name.",
                thrown.getMessage());
    }

    @Test
    void namesOfTheClientsAndOursAreReserved() {
        assertTrue(Live.isReserved("connect_error"));
        assertTrue(Live.isReserved("sirocco:anything"));
        assertFalse(Live.isReserved("connected"));
        assertFalse(Live.isReserved("sirocco"));
    }
}

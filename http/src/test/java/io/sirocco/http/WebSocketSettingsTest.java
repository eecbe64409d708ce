// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class WebSocketSettingsTest {

    /** A peer would be pinged each millisecond. */
    @Test
    void noTimeIsNegative() {
        Duration before = Duration.ofMillis(-1);
        List<Consumer<WebSocketSettings>> all =
                List.of(
                        s -> s.ping(before, Duration.ZERO),
                        s -> s.ping(Duration.ZERO, before),
                        s -> s.closeTimeout(before));
        for (Consumer<WebSocketSettings> each : all) {
            assertThrows(IllegalArgumentException.class, () -> WebSockets.of(each));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.cluster;

import java.time.Duration;
import org.junit.jupiter.api.Tag;

/** With some clients. */
@Tag("peers")
class ThreeNodesTest extends ThreeNodes {
    ThreeNodesTest() {
        super(new Service.Load(60, 9, 6, Duration.ofMillis(20)));
    }
}

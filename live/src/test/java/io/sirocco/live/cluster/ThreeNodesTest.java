// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.cluster;

import java.time.Duration;

/** With some clients. */
class ThreeNodesTest extends ThreeNodes {
    ThreeNodesTest() {
        super(new Service.Load(60, 9, 6, Duration.ofMillis(20)));
    }
}

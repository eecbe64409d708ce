// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.cluster;

import java.time.Duration;
import org.junit.jupiter.api.Tag;

/** With 3,000 clients. */
@Tag("heavy")
class ThreeThousandClientsTest extends ThreeNodes {
    ThreeThousandClientsTest() {
        super(new Service.Load(3_000, 30, 30, Duration.ofMillis(500)));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.epoll;

import org.junit.jupiter.api.Test;

class WatchedTableTest {
    /** As Epoll.admit does, if put found no heap to grow. */
    @Test
    void removingWhatDidNotFitInIsHarmless() {
        new WatchedTable().remove(64);
    }
}

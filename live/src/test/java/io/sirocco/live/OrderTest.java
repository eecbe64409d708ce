// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages, and moves between them, one after the other. */
class OrderTest {
    @Test
    void oneThatThrowsHindersNoneBehindIt() {
        var order = new Order();
        var ran = new ArrayList<String>();
        order.run(
                () -> {
                    order.run(() -> ran.add("behind it"));
                    throw new IllegalStateException("oops");
                });
        order.run(() -> ran.add("later"));
        assertEquals(List.of("behind it", "later"), ran);
    }
}

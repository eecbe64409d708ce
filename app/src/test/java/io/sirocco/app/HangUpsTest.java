// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HangUpsTest {
    @Test
    void anActionThatThrowsIsNotTheLast() throws Exception {
        var hangUps = new HangUps();
        var thrown = new CountDownLatch(1);
        var again = new CountDownLatch(1);
        hangUps.handledBy(
                () -> {
                    if (thrown.getCount() == 0) {
                        again.countDown();
                        return;
                    }
                    thrown.countDown();
                    throw new IllegalStateException("as an action may");
                });
        hangUps.run();
        assertTrue(thrown.await(20, TimeUnit.SECONDS));
        hangUps.run();
        assertTrue(again.await(20, TimeUnit.SECONDS), "the signal is not answered any more");
    }
}

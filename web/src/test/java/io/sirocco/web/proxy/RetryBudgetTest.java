// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;

/** Retries are a share of the requests of the last ten seconds. */
class RetryBudgetTest {
    private final RetryBudget budget = new RetryBudget(20);

    private int retries(long millis) {
        int allowed = 0;
        while (allowed < 10_000 && budget.retry(millis)) {
            allowed++;
        }
        return allowed;
    }

    private void requests(int count, long millis) {
        for (int i = 0; i < count; i++) {
            budget.request(millis);
        }
    }

    @Test
    void aFifthOfManyRequestsAndTenOfFew() {
        assertEquals(RetryBudget.ALWAYS, retries(-7000));
        requests(1000, -7000);
        assertEquals(190, retries(-7000));
        requests(5, -7000);
        assertEquals(1, retries(-6000));
    }

    @Test
    void theWindowMoves() {
        requests(1000, 0);
        assertEquals(200, retries(500));
        requests(1000, 5000);
        assertEquals(200, retries(9999));
        assertEquals(0, retries(10_000), "1000 requests and 400 - 200 retries are left");
        assertEquals(0, retries(14_000));
        assertEquals(RetryBudget.ALWAYS, retries(100_000));
    }

    @Test
    void zeroPercentIsNone() {
        assertFalse(new RetryBudget(0).retry(0));
    }
}

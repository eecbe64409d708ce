// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** URLs are chosen by clients, so their number and their length are bounded. */
class UncollapsedUrlsTest {
    private static int known(int count, int length) {
        var urls = new UncollapsedUrls(new TestClock());
        String end = "x".repeat(length);
        for (int i = 0; i < count; i++) {
            urls.add(i + end);
        }
        int known = 0;
        for (int i = 0; i < count; i++) {
            known += urls.contains(i + end) ? 1 : 0;
        }
        return known;
    }

    @Test
    void longUrlsAreFewer() {
        assertEquals(5000, known(5000, 50));
        assertTrue(known(5000, 8000) <= 125);
    }
}

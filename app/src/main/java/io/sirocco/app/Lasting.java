// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.http.ErrorPages;
import io.sirocco.web.access.Rejections;
import io.sirocco.web.metrics.Metrics;

/** What was counted, which outlives each reload. Any thread. */
record Lasting(Rejections rejections, Metrics metrics) {
    static Lasting begin() {
        return new Lasting(new Rejections(ErrorPages.PLAIN), new Metrics());
    }
}

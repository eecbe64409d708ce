// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.hold.HoldResult;

/** What {@code bench hold --json} prints: the result's components, in their order. Any thread. */
public final class HoldJson {
    private HoldJson() {}

    /** The text, which ends with a line feed. */
    public static String write(HoldResult result) {
        return Json.MAPPER.writeValueAsString(result) + "\n";
    }
}

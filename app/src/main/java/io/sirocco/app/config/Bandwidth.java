// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/** {@code [bandwidth]}: bytes per second; 0 for no limit. Immutable. */
public record Bandwidth(long connectionIn, long connectionOut, long allIn, long allOut) {

    static Bandwidth read(Table table) {
        return new Bandwidth(
                rate(table, "connection-in"),
                rate(table, "connection-out"),
                rate(table, "all-in"),
                rate(table, "all-out"));
    }

    private static long rate(Table table, String key) {
        return table.size(key, "0", 0, Long.MAX_VALUE);
    }
}

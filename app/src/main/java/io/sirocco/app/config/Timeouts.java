// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.time.Duration;

/**
 * {@code [timeouts]}; zero disables a timeout. Immutable.
 *
 * @param header from the first byte of a request to the end of its headers
 * @param body grows by a second for each {@code minBodyRate} bytes
 * @param minBodyRate bytes per second
 */
public record Timeouts(
        Duration idle,
        Duration header,
        Duration body,
        long minBodyRate,
        Duration write,
        Duration handler) {

    static Timeouts read(Table table) {
        var timeouts =
                new Timeouts(
                        table.time("idle", "75s"),
                        table.time("header", "10s"),
                        table.time("body", "20s"),
                        table.size("min-body-rate", "500", 1, Long.MAX_VALUE),
                        table.time("write", "30s"),
                        table.time("handler", "60s"));
        if (timeouts.body.isZero()) {
            table.idle("\"body\" is \"0s\", which disables both", "min-body-rate");
        }
        return timeouts;
    }
}

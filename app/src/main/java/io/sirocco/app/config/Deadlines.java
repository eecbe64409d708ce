// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.time.Duration;

/**
 * {@code [deadlines]}; zero is for ever. Immutable.
 *
 * @param bodyRate bytes of a body that make its deadline a second longer
 */
public record Deadlines(
        Duration idle,
        Duration head,
        Duration body,
        long bodyRate,
        Duration write,
        Duration handler) {

    static Deadlines read(Table table) {
        return new Deadlines(
                table.time("idle", "75s"),
                table.time("head", "10s"),
                table.time("body", "20s"),
                table.size("body-rate", "500", 1, Long.MAX_VALUE),
                table.time("write", "30s"),
                table.time("handler", "60s"));
    }
}

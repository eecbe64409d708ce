// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.net.TransportKind;
import java.time.Duration;

/**
 * {@code [server]}. Immutable.
 *
 * @param loops 0 for one per core; a change needs a restart
 * @param transport a change needs a restart
 * @param name the value of the {@code Server} header; empty for none
 * @param drainDelay how long connections are accepted while the server is not ready any more
 * @param drain how long requests in progress have to finish; zero: they are cut off
 * @param blockedLoop how long an event loop may be blocked before the process ends; a change needs
 *     a restart
 * @param reload whether to watch {@link Configuration#files}
 * @param reloadMayRemove whether a reload may remove all sites, or close addresses with no other in
 *     their place
 */
public record Server(
        int loops,
        TransportKind transport,
        String name,
        Duration drainDelay,
        Duration drain,
        Duration blockedLoop,
        boolean reload,
        boolean reloadMayRemove) {
    static final int MAX_LOOPS = 1024;

    /** A garbage collector may stop a loop for so long, and so may a busy machine. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    static Server read(Table table) {
        return new Server(
                table.whole("loops", 0, 0, MAX_LOOPS),
                table.choice("transport", TransportKind.AUTO),
                table.text("name", "Sirocco", Texts::fieldValue),
                table.time("drain-delay", "0s"),
                table.time("drain-timeout", "30s"),
                table.timeOrNone("blocked-loop-timeout", "30s", PAUSE),
                table.flag("reload", true),
                table.flag("reload-may-remove", false));
    }
}

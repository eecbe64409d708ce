// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.time.Duration;
import java.util.List;

/**
 * The limits in {@code [live]}; sizes in bytes. Immutable.
 *
 * @param clients concurrent clients; 0: no limit
 * @param connects of one address per {@code connectsPer}; 0: no limit
 * @param guesses wrong passwords, tickets and tokens of one address; 0: no limit
 * @param messages of one client per {@code messagesPer}; 0: no limit
 * @param untilSilence whether a client over a limit is refused until it has been silent for that
 *     time
 * @param bytes read from one client per second; 0: no limit
 * @param budget bytes that are buffered for one client
 * @param replay missed messages that are sent to a client that reconnects
 * @param slow the reaction to a client over its budget: "close", "drop-oldest", "drop-newest"
 */
public record LiveLimits(
        int clients,
        int connects,
        Duration connectsPer,
        int guesses,
        int messages,
        Duration messagesPer,
        boolean untilSilence,
        long bytes,
        int maxMessage,
        int attachments,
        int rooms,
        int unanswered,
        int replay,
        int budget,
        String slow,
        Duration ping,
        Duration pong,
        Duration connect,
        Duration handler) {
    private static final List<String> SLOW = List.of("close", "drop-oldest", "drop-newest");
    private static final Duration SHORT = Duration.ofMillis(100);

    static LiveLimits read(Table table) {
        return new LiveLimits(
                table.whole("clients", 0, 0, Integer.MAX_VALUE),
                table.whole("connects", 100, 0, 1_000_000_000),
                table.time("connects-per", "5s", SHORT),
                table.whole("guesses", 10, 0, 1_000_000),
                table.whole("messages", 10_000, 0, 1_000_000_000),
                table.time("messages-per", "1s", SHORT),
                table.flag("until-silence", false),
                table.size("bytes", "0", 0, Long.MAX_VALUE),
                (int) table.size("max-message", "1000000", 1, 1 << 30),
                table.whole("attachments", 16, 0, 10_000),
                table.whole("rooms", 1000, 0, 10_000_000),
                table.whole("unanswered", 1000, 1, 1_000_000),
                table.whole("replay", 100_000, 1, 1_000_000_000),
                (int) table.size("budget", "1MiB", 1, 1 << 30),
                table.value("slow", Node.of("close"), Values.oneOf(SLOW)),
                table.time("ping-interval", "25s", SHORT),
                table.time("ping-timeout", "20s", SHORT),
                table.time("connect-timeout", "10s", SHORT),
                table.time("handler-timeout", "30s", SHORT));
    }
}

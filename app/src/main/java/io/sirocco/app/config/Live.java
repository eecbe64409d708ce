// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * {@code [live]}: event channels. Immutable.
 *
 * @param on whether they are switched on
 * @param path where clients connect
 * @param passwordFile its first line is the password
 * @param open whether clients need no credentials, even from the network
 * @param origins of other pages that may connect; "*" alone for all
 * @param transports "websocket", "polling"
 * @param recovery zero: sessions are not recovered
 * @param histories the first match applies
 * @param presence names of rooms, with {@code *} for any string
 */
public record Live(
        boolean on,
        String path,
        Optional<Path> passwordFile,
        boolean open,
        Tickets tickets,
        LiveTokens tokens,
        List<String> origins,
        List<String> transports,
        Broker broker,
        Duration recovery,
        List<History> histories,
        List<String> presence,
        Publishing publish,
        LiveLimits limits) {

    /**
     * Tickets for one connection.
     *
     * @param path where clients request them; empty: there are none
     * @param secretFile the secret that signs them, the same on all nodes
     */
    public record Tickets(String path, Duration life, Optional<Path> secretFile) {}

    /**
     * The broker that connects nodes.
     *
     * @param url of a Redis, or "memory" for this process alone
     * @param startTimeout how long a start waits for a Redis that cannot be reached
     */
    public record Broker(String url, Optional<Path> passwordFile, Duration startTimeout) {}

    /** The history of some rooms: how many messages they keep, and for how long. */
    public record History(String rooms, int messages, Duration age) {

        static History read(Table table) {
            return new History(
                    table.needed("rooms", Node.of("*"), "rooms = \"*\"", Values.text(Live::rooms)),
                    table.whole("messages", 100, 1, 1_000_000),
                    table.time("age", "1h", Duration.ofSeconds(1)));
        }
    }

    /** The clients that may publish to a room. */
    public enum Publishing {
        ALL,
        MEMBERS,
        NONE
    }

    static Live read(Table table) {
        var live =
                new Live(
                        table.flag("on", false),
                        table.text("path", "/socket.io", Live::path),
                        table.file("password-file"),
                        table.flag("open", false),
                        new Tickets(
                                table.text(
                                        "ticket-path",
                                        "/ticket",
                                        text -> text.isEmpty() ? text : path(text)),
                                table.time("ticket-life", "30s", Duration.ofSeconds(1)),
                                table.file("ticket-secret-file")),
                        LiveTokens.read(table),
                        table.list("origins", List.of(), Values.text(Cors::origin)),
                        table.list(
                                "transports",
                                List.of("websocket", "polling"),
                                Values.oneOf(List.of("websocket", "polling"))),
                        new Broker(
                                table.text("broker", "memory", Live::broker),
                                table.file("broker-password-file"),
                                table.time("broker-start-timeout", "0s")),
                        table.time("recovery", "0s"),
                        table.inlines("history", History::read),
                        table.list("presence", List.of(), Values.text(Live::rooms)),
                        table.choice("publish", Publishing.ALL),
                        LiveLimits.read(table));
        live.check(table);
        return live;
    }

    private void check(Table table) {
        if (transports.isEmpty()) {
            table.error(
                    "transports",
                    "clients cannot connect without a transport",
                    "remove \"transports\" for all");
        }
        if (path.equals(tickets.path)) {
            table.error(
                    "ticket-path",
                    "tickets and channels have the same path: " + path,
                    "choose another path");
        }
        if (tickets.path.isEmpty()) {
            table.idle("ticket-path = \"\" gives no tickets", "ticket-life", "ticket-secret-file");
        }
        if (limits.connects() == 0) {
            table.idle("connects = 0 sets no limit", "connects-per");
        }
        if (limits.messages() == 0) {
            table.idle("messages = 0 sets no limit", "messages-per");
        }
        if (open && passwordFile.isPresent()) {
            table.warning(
                    "open", "\"open\" has no effect", "clients need the password of password-file");
        } else if (open && tokens.isOn()) {
            table.warning(
                    "open",
                    "\"open\" has no effect",
                    "clients need a token, as a token key is set");
        }
        if (broker.passwordFile.isPresent() && broker.url.equals("memory")) {
            table.warning(
                    "broker-password-file",
                    "\"broker-password-file\" has no effect",
                    "it needs broker = \"redis://...\"");
        }
        if (broker.startTimeout.isPositive() && broker.url.equals("memory")) {
            table.warning(
                    "broker-start-timeout",
                    "\"broker-start-timeout\" has no effect",
                    "it needs broker = \"redis://...\"");
        }
        if (broker.startTimeout.compareTo(Duration.ofDays(1)) > 0) {
            table.error(
                    "broker-start-timeout",
                    "a start waits for a broker for a day at most",
                    "write a time such as \"5m\"");
        }
    }

    private static String path(String text) {
        if (text.matches("(/[A-Za-z0-9._~-]+)+")) return text;
        throw new ConfigError(
                "cannot be \"" + text + "\"",
                "write a path such as \"/socket.io\", with letters, digits and .-_~");
    }

    private static String rooms(String text) {
        if (!text.isEmpty()) return text;
        throw new ConfigError("contains an empty name", "write \"*\" for all rooms");
    }

    private static String broker(String text) {
        if (text.equals("memory") || text.matches("rediss?://[^\\s]+")) return text;
        throw new ConfigError( // without the value, which may contain a password
                "is not a valid broker",
                "write \"memory\" or \"redis[s]://[[user]:password@]host[:port][/database]\"");
    }
}

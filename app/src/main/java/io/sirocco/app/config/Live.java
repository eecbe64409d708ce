// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * {@code [live]}: event channels. Immutable.
 *
 * @param on whether this server has them
 * @param path where clients connect
 * @param passwordFile its first line is the password
 * @param open whether everybody may come in, also from the network
 * @param origins of other pages that may connect; "*" alone for all
 * @param transports "websocket", "polling"
 * @param recovery zero: nobody is recovered
 * @param histories the first whose rooms match counts
 * @param presence names of rooms, with {@code *} for any text
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
     * @param path where they are given out; empty for nowhere
     * @param secretFile what they are signed with, the same on all nodes
     */
    public record Tickets(String path, Duration life, Optional<Path> secretFile) {}

    /**
     * What nodes share.
     *
     * @param url of a Redis; empty for the memory of this process
     */
    public record Broker(String url, Optional<Path> passwordFile) {}

    /** Which rooms keep how many messages for how long. */
    public record History(String rooms, int messages, Duration age) {

        static History read(Table table) {
            return new History(
                    table.needed("rooms", Node.of("*"), "rooms = \"*\"", Values.text(Live::rooms)),
                    table.whole("messages", 100, 1, 1_000_000),
                    table.time("age", "1h", Duration.ofSeconds(1)));
        }
    }

    /** Which clients may publish into a room. */
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
                        table.list("origins", List.of(), Values.text(Live::origin)),
                        table.list(
                                "transports",
                                List.of("websocket", "polling"),
                                Values.oneOf(List.of("websocket", "polling"))),
                        new Broker(
                                table.text("broker", "memory", Live::broker),
                                table.file("broker-password-file")),
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
            table.error("transports", "there is no way to connect", "leave \"transports\" out");
        }
        if (path.equals(tickets.path)) {
            table.error("ticket-path", "clients connect at " + path, "take another path");
        }
        if (open && passwordFile.isPresent()) {
            table.warning("open", "\"open\" has no effect", "there is a password-file");
        } else if (open && tokens.isOn()) {
            table.warning("open", "\"open\" has no effect", "there is a key of tokens");
        }
        if (broker.passwordFile.isPresent() && broker.url.equals("memory")) {
            table.warning(
                    "broker-password-file",
                    "\"broker-password-file\" has no effect",
                    "there is no broker = \"redis://...\"");
        }
    }

    private static String path(String text) throws Unfit {
        if (text.matches("(/[A-Za-z0-9._~-]+)+")) return text;
        throw new Unfit(
                "cannot be \"" + text + "\"",
                "write such as \"/socket.io\", with letters, digits and .-_~");
    }

    private static String origin(String text) throws Unfit {
        if (text.length() > 1 && text.contains("*")) {
            throw new Unfit(
                    "has a *: \"" + text + "\"", "name each origin, or write \"*\" for all");
        }
        return Cors.origin(text);
    }

    private static String rooms(String text) throws Unfit {
        if (!text.isEmpty()) return text;
        throw new Unfit("is an empty name", "write \"*\" for all rooms");
    }

    private static String broker(String text) throws Unfit {
        if (text.equals("memory") || text.matches("rediss?://[^\\s]+")) return text;
        throw new Unfit( // without the text, which may have a password
                "is no broker",
                "write \"memory\" or \"redis[s]://[[user]:password@]host[:port][/database]\"");
    }
}

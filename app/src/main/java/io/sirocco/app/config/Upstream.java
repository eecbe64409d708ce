// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.http.client.HttpOrigin;
import io.sirocco.net.ProxyProtocol;
import io.sirocco.web.proxy.Balance;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One {@code [[upstream]]}: a group of servers that routes with the action {@code proxy} forward
 * to. Two equal ones are the same upstream, also over a reload. Immutable.
 *
 * @param name for routes, logs and metrics
 * @param hashBy set if {@code balance} is {@code "hash"}
 * @param stickyCookie empty for none
 * @param healthPath empty for no active checks
 * @param retryBudget percent
 * @param maxRequests 0: no limit
 * @param maxHeaderBytes of a response
 * @param maxHeaders of a response
 * @param proxyProtocol the version in which clients are announced
 */
public record Upstream(
        String name,
        List<Server> servers,
        Registration registration,
        Balance balance,
        Optional<String> hashBy,
        String stickyCookie,
        Names names,
        Passive passive,
        Active active,
        Duration slowStart,
        int retries,
        int retryBudget,
        int maxConnections,
        int maxWaiting,
        int maxRequests,
        int maxHeaderBytes,
        int maxHeaders,
        Optional<ProxyProtocol> proxyProtocol,
        Waits waits,
        Tls tls) {

    /**
     * A server.
     *
     * @param url {@code http://HOST[:PORT]}, {@code https://...}, or {@code unix:} and an absolute
     *     path
     * @param backup whether it is used only while no other server is available
     */
    public record Server(String url, int weight, boolean backup) {
        static Server read(Table table) {
            var server =
                    new Server(
                            table.needed(
                                            "url",
                                            Node.of(INVALID),
                                            "url = \"http://10.0.0.1:8080\"",
                                            serverUrl(table.folder()))
                                    .toString(),
                            table.whole("weight", 1, 1, 1000),
                            table.flag("backup", false));
            if (server.backup && table.sets("weight")) {
                table.warning(
                        "weight",
                        "\"weight\" has no effect",
                        "the requests of a backup server have no share");
            }
            return server;
        }
    }

    /**
     * How host names are resolved.
     *
     * @param most after which time at the latest
     * @param least after which time at the earliest, unless {@code most} is shorter
     * @param servers {@code ADDRESS[:PORT]}; empty for those of the system
     */
    public record Names(Duration most, Duration least, List<String> servers) {
        /** Returns the addresses of the name servers. */
        public InetSocketAddress[] addresses() {
            return servers.stream().map(Upstream::nameserver).toArray(InetSocketAddress[]::new);
        }
    }

    /**
     * Servers that join at run time.
     *
     * @param on whether they may
     * @param networks of addresses that a server may register besides its own
     * @param most servers at a time
     */
    public record Registration(boolean on, List<Network> networks, int most) {
        static Registration read(Table table) {
            var registration =
                    new Registration(
                            table.flag("registration", false),
                            table.list(
                                    "registration-networks",
                                    List.of(),
                                    Values.text(Network::parse)),
                            table.whole("max-registered", 100, 1, 10_000));
            if (registration.on) return registration;
            for (String key : List.of("registration-networks", "max-registered")) {
                if (table.sets(key)) {
                    table.warning(
                            key, "\"" + key + "\" has no effect", "it needs registration = true");
                }
            }
            return registration;
        }
    }

    /**
     * Ejection of servers that fail.
     *
     * @param maxFailures in a row; 0 for never
     * @param statuses of responses that are failures
     */
    public record Passive(
            int maxFailures, Duration window, Duration ejection, List<Long> statuses) {}

    /** Health checks. */
    public record Active(
            String path,
            Duration interval,
            Duration timeout,
            int unhealthyAfter,
            int healthyAfter) {}

    /** The timeouts. */
    public record Waits(
            Duration queue,
            Duration connect,
            Duration response,
            Duration idle,
            Duration total,
            Duration keepAlive,
            Duration tunnelIdle,
            Duration tunnelHalfClosed) {}

    /**
     * How {@code https} servers are verified.
     *
     * @param serverName empty for the host of the URL
     * @param chain with {@code key}: a certificate of this server
     */
    public record Tls(
            Optional<Path> authorities,
            Optional<String> serverName,
            Optional<Path> chain,
            Optional<Path> key) {

        static Tls read(Table table) {
            var tls =
                    new Tls(
                            table.file("authorities"),
                            table.value("server-name", Values.text(Tls::host)),
                            table.file("chain"),
                            table.file("key"));
            if (table.sets("chain") && !table.sets("key")) {
                table.error("chain", "this certificate has no key", "add key = \"client.key\"");
            } else if (table.sets("key") && !table.sets("chain")) {
                table.error("key", "this key has no certificate", "add chain = \"client.pem\"");
            }
            table.end();
            return tls;
        }

        private static String host(String text) {
            if (text.matches("[A-Za-z0-9_.:-]+")) return text;
            throw new ConfigError(
                    "is not a host: \"" + text + "\"", "write a name such as \"backend.internal\"");
        }

        /** Returns the files, to be read again when one changes. */
        public List<Path> files() {
            return Stream.of(authorities, chain, key).flatMap(Optional::stream).toList();
        }
    }

    /** Stands for a server whose URL has an error. */
    private static final String INVALID = "http://invalid";

    private static final List<String> BALANCES =
            List.of("round-robin", "least-requests", "random", "hash");

    private static final Pattern NAMESERVER =
            Pattern.compile(
                    "(?:\\[(.+)]|([^:\\[\\]]+|[^\\[\\]]*:[^\\[\\]]*:[^\\[\\]]*?))(?::(\\d{1,5}))?");
    private static final Duration LEAST = Duration.ofMillis(1);

    static Upstream read(Table table) {
        return read(table, Upstream::name);
    }

    private static Upstream read(Table table, Texts.Words<String> name) {
        var upstream =
                new Upstream(
                        table.needed("name", Node.of("?"), "name = \"api\"", Values.text(name)),
                        servers(table),
                        Registration.read(table),
                        Balance.valueOf(
                                constant(
                                        table.value(
                                                "balance",
                                                Node.of("round-robin"),
                                                Values.oneOf(BALANCES)))),
                        table.value("hash-by", Values.text(Upstream::hashBy)),
                        table.text("sticky-cookie", "", Upstream::cookie),
                        new Names(
                                table.time("resolve", "30s", LEAST),
                                table.time("resolve-min", "1s", LEAST),
                                table.list(
                                        "nameservers",
                                        List.of(),
                                        Values.text(Upstream::checkedNameserver))),
                        new Passive(
                                table.whole("max-failures", 3, 0, 1_000_000),
                                table.time("failure-window", "10s", LEAST),
                                table.time("ejection", "10s", LEAST),
                                table.list("failure-status", List.of(), Values.whole(400, 599))),
                        new Active(
                                table.text("health-path", "", Upstream::path),
                                table.time("health-interval", "5s", LEAST),
                                table.time("health-timeout", "3s", LEAST),
                                table.whole("unhealthy-after", 3, 1, 1_000_000),
                                table.whole("healthy-after", 2, 1, 1_000_000)),
                        table.time("slow-start", "10s"),
                        table.whole("retries", 1, 0, 1000),
                        table.whole("retry-budget", 20, 0, 1000),
                        table.whole("max-connections", 256, 1, 1_000_000),
                        table.whole("max-waiting", 1024, 1, 1_000_000_000),
                        table.whole("max-requests", 0, 0, 1_000_000_000),
                        (int) table.size("max-header-bytes", "32KiB", 256, 1 << 20),
                        table.whole("max-headers", 100, 1, 10_000),
                        table.value("proxy-protocol", Values.oneOf(ProxyProtocol.class)),
                        new Waits(
                                table.time("queue-timeout", "5s", LEAST),
                                table.time("connect-timeout", "5s", LEAST),
                                table.time("response-timeout", "60s", LEAST),
                                table.time("idle-timeout", "60s", LEAST),
                                table.time("total-timeout", "1h", LEAST),
                                table.time("keep-alive", "30s", LEAST),
                                table.time("tunnel-idle-timeout", "1h", LEAST),
                                table.time("tunnel-half-closed-timeout", "60s", LEAST)),
                        Tls.read(table.table("tls", "[upstream.tls]")));
        upstream.check(table);
        table.end();
        return upstream;
    }

    private static List<Server> servers(Table table) {
        List<Server> servers = table.inlinesOrTexts("servers", "url", Server::read);
        for (int i = 0; i < servers.size(); i++) {
            String url = servers.get(i).url;
            if (url.equals(INVALID)) continue; // it has its own error
            if (servers.subList(0, i).stream()
                    .anyMatch(other -> origin(other.url).equals(origin(url)))) {
                table.error(
                        "servers",
                        i,
                        "\"servers\" contains \"" + url + "\" twice",
                        "for a larger share: { url = \"" + url + "\", weight = 2 }");
            }
        }
        return servers;
    }

    private void check(Table table) {
        if (!registration.on && !table.sets("servers")) {
            table.error(
                    "servers",
                    "[[upstream]] needs \"servers\"",
                    "for example: servers = [\"http://10.0.0.1:8080\"]");
        }
        if (!registration.on && servers.isEmpty() && table.isEmptyList("servers")) {
            table.error(
                    "servers",
                    "\"servers\" is empty",
                    "for example: servers = [\"http://10.0.0.1:8080\"]");
        }
        if (balance == Balance.HASH && !table.sets("hash-by")) {
            table.error(
                    "balance",
                    "balance = \"hash\" needs \"hash-by\"",
                    "for example: hash-by = \"address\"");
        }
        if (balance != Balance.HASH && table.sets("hash-by")) {
            table.warning("hash-by", "\"hash-by\" has no effect", "it needs balance = \"hash\"");
        }
        if (!registration.on && !servers.isEmpty() && servers.stream().allMatch(Server::backup)) {
            table.error("servers", "all servers are backups", "remove \"backup\" from one");
        }
        if (table.sets("resolve-min") && names.least.compareTo(names.most) > 0) {
            table.error(
                    "resolve-min",
                    "\"resolve-min\" is longer than \"resolve\"",
                    "the time to live of a record counts between the two");
        }
        if (proxyProtocol.isPresent()
                && servers.stream().anyMatch(server -> server.url.startsWith("https:"))) {
            table.error(
                    "proxy-protocol",
                    "\"proxy-protocol\" is for servers without TLS",
                    "remove it, or write http:// in \"servers\"");
        }
        if (passive.maxFailures == 0) {
            table.idle("max-failures = 0 ejects no server", "failure-window", "ejection");
        }
        if (active.path.isEmpty()) {
            table.idle(
                    "there are no health checks; set \"health-path\"",
                    "health-interval",
                    "health-timeout",
                    "unhealthy-after",
                    "healthy-after");
        }
        if (retries == 0) {
            table.idle("retries = 0 tries no other server", "retry-budget");
        }
        if (table.sets("tls")
                && !registration.on
                && servers.stream().noneMatch(server -> server.url.startsWith("https:"))) {
            table.warning("tls", "\"tls\" has no effect", "no server of this upstream is https://");
        }
    }

    /** Returns an upstream of one server with the default settings, whose name is its URL. */
    static Upstream of(String url) {
        Map<String, Node> options = Map.of("name", Node.of(url), "servers", Node.of(List.of(url)));
        var reading = new Reading(Path.of(""), new Report());
        return read(new Table(Node.Fields.of(Node.NOWHERE, options), reading), text -> text);
    }

    // --- words

    /** Returns whether a string names a server rather than an upstream. */
    static boolean isUrl(String text) {
        return text.contains("://") || text.startsWith("unix:");
    }

    private static Values.Reader<Object> serverUrl(Path folder) {
        return Values.text(text -> url(text, folder));
    }

    /** Returns a URL, or the address of a Unix-domain socket with an absolute path. */
    static Object url(String text, Path folder) {
        String form = "write \"http://10.0.0.1:8080\", \"https://...\" or \"unix:/run/app.sock\"";
        if (text.startsWith("unix:") && text.length() > 5) {
            return new Address.Unix(Paths.resolved(text.substring(5), folder));
        }
        if (text.matches("https?://[^/]+/.+")) {
            throw new ConfigError(
                    "has a path: \"" + text + "\"", "put the path into \"prefix\" of the route");
        }
        if (text.matches("https?://[^/?#@\\s]+/?")) {
            try {
                HttpOrigin.of(text);
                return text;
            } catch (IllegalArgumentException e) {
                throw new ConfigError("is not a URL of a server: \"" + text + "\"", form);
            }
        }
        String hint = text.matches("[\\w.-]+(:\\d+)?") ? "write \"http://" + text + "\"" : form;
        throw new ConfigError("is not a URL of a server: \"" + text + "\"", hint);
    }

    /** Returns the same string for all spellings of one server. */
    private static String origin(String url) {
        return url.startsWith("unix:") ? url : HttpOrigin.of(url).toString();
    }

    private static String name(String text) {
        if (!text.isEmpty() && text.chars().noneMatch(Character::isISOControl) && !isUrl(text)) {
            return text;
        }
        throw new ConfigError(
                text.isEmpty() ? "is empty" : "cannot be \"" + text + "\"",
                "write a name such as \"api\"; URLs belong in \"servers\"");
    }

    /** Returns the name of the constant for a word such as {@code "round-robin"}. */
    static String constant(String word) {
        return word.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    private static String checkedNameserver(String text) {
        nameserver(text);
        return text;
    }

    /** Returns the address of a name server, whose port is 53 unless it is written. */
    private static InetSocketAddress nameserver(String text) {
        Matcher parts = NAMESERVER.matcher(text);
        try {
            if (parts.matches()) {
                String host = parts.group(1) == null ? parts.group(2) : parts.group(1);
                int port = parts.group(3) == null ? 53 : Integer.parseInt(parts.group(3));
                return new InetSocketAddress(InetAddress.ofLiteral(host), port);
            }
        } catch (IllegalArgumentException e) {
            // neither an address nor a port
        }
        throw new ConfigError(
                "is not the address of a name server: \"" + text + "\"",
                "write \"10.0.0.53\", \"127.0.0.1:8600\" or \"[::1]:53\"");
    }

    private static String hashBy(String text) {
        if (text.matches("address|path")) return text;
        if (text.matches("(header|cookie):.+")) {
            Texts.token(text.substring(text.indexOf(':') + 1));
            return text;
        }
        throw new ConfigError(
                "cannot be \"" + text + "\"",
                "write \"address\", \"path\", \"header:NAME\" or \"cookie:NAME\"");
    }

    private static String cookie(String text) {
        return text.isEmpty() ? text : Texts.token(text);
    }

    private static String path(String text) {
        if (text.isEmpty() || text.matches("/[\\x21-\\x7e]*")) return text;
        throw new ConfigError(
                "is not a path: \"" + text + "\"", "begin with / and percent-encode the rest");
    }
}

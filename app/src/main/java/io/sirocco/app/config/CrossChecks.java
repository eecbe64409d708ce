// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Checks that options of different tables fit together. Used by one thread. */
final class CrossChecks {
    private final Report report;
    private final Configuration all;
    private final boolean password;

    CrossChecks(Report report, Configuration all, boolean password) {
        this.report = report;
        this.all = all;
        this.password = password;
    }

    void check() {
        addresses();
        certificates();
        proxies();
        redirects();
        hosts();
        emptySites();
        canonicalHosts();
        hsts();
        logs();
        channels();
        tickets();
        upstreams();
        new CacheChecks(report, all).check();
        new Effects(report, all).check();
    }

    private SourcePosition position(Object... path) {
        return all.document().position(path);
    }

    private void addresses() {
        Map<String, SourcePosition> taken = new HashMap<>();
        if (all.document().fields().value("listen") instanceof Node.Items(var none, _)
                && none.isEmpty()) {
            report.error(
                    position("listen"),
                    "there is no address to listen on",
                    "remove \"listen\" for the default");
        }
        for (int i = 0; i < all.listen().size(); i++) {
            address(all.listen().get(i).address(), position("listen", i, "address"), taken);
        }
        all.admin()
                .address()
                .ifPresent(address -> address(address, position("admin", "address"), taken));
    }

    private void address(
            Address address, SourcePosition position, Map<String, SourcePosition> taken) {
        if (address instanceof Address.Internet(_, int port) && port == 0) return;
        if (report.concerns(position)) return;
        SourcePosition earlier = taken.putIfAbsent(comparable(address), position);
        if (earlier == null) return;
        report.error(
                position,
                "the address \"" + address + "\" is used twice",
                earlier.from() < 0
                        ? "it is the default of [[listen]]"
                        : "first in line " + earlier.line());
    }

    /** Returns the same string for all spellings of one socket. */
    private static String comparable(Address address) {
        if (!(address instanceof Address.Internet(String host, int port))) {
            return address.toString();
        }
        String name =
                switch (host) {
                    case "0.0.0.0", "::" -> "";
                    case "localhost" -> "127.0.0.1";
                    default -> host;
                };
        return name + ":" + port;
    }

    private boolean hasTls() {
        return all.listen().stream().anyMatch(Listen::tls);
    }

    private boolean hasTls(int port) {
        return all.listen().stream()
                .filter(Listen::tls)
                .map(Listen::address)
                .anyMatch(
                        address -> address instanceof Address.Internet(_, int own) && own == port);
    }

    private void certificates() {
        Tls tls = all.tls();
        for (int i = 0; i < all.listen().size(); i++) {
            Listen listen = all.listen().get(i);
            if (listen.tls() && !listen.tls(tls).certified()) {
                String table = listen.own().isPresent() ? "listen.tls" : "tls";
                report.error(
                        position("listen", i, "tls"),
                        "there is no certificate",
                        "add [[%s.certificate]] with chain and key, or set self-signed = true in [%s]"
                                .formatted(table, table));
            }
        }
        boolean used = all.listen().stream().anyMatch(it -> it.tls() && it.own().isEmpty());
        if (tls.certified() && !used) {
            report.warning(
                    tls.selfSigned()
                            ? position("tls", "self-signed")
                            : position("tls", "certificate", 0),
                    "no address uses this certificate",
                    "set tls = true in a [[listen]]");
        }
    }

    private void proxies() {
        boolean speaksFirst = false;
        for (int i = 0; i < all.listen().size(); i++) {
            if (!all.listen().get(i).proxyProtocol()) continue;
            speaksFirst = true;
            if (all.proxies().trusted().isEmpty()) {
                report.error(
                        position("listen", i, "proxy-protocol"),
                        "no proxy may connect to \"" + all.listen().get(i).address() + "\"",
                        "list the addresses of your proxies: trusted = [...] in [proxies]");
            }
        }
        boolean trusts = !all.proxies().trusted().isEmpty();
        if (trusts && all.proxies().headers().isEmpty() && !speaksFirst) {
            report.warning(
                    position("proxies", "trusted"),
                    "\"trusted\" has no effect",
                    "list the headers that these proxies set: headers = [\"x-forwarded-for\"]");
        }
    }

    private void emptySites() {
        for (int i = 0; i < all.sites().size(); i++) {
            Site site = all.sites().get(i);
            SourcePosition position = position("site", i);
            if (site.files().root().isPresent() || !site.routes().isEmpty()) continue;
            if (site.canonicalHost().isPresent() || all.live().on()) continue;
            if (report.concerns(position)) continue;
            report.warning(
                    position,
                    "this site responds to every request with 404",
                    "set \"root\" to the directory of its files, or add a [[site.route]]");
        }
    }

    private void canonicalHosts() {
        for (int i = 0; i < all.sites().size(); i++) {
            Site site = all.sites().get(i);
            SourcePosition position = position("site", i, "canonical-host");
            if (site.canonicalHost().isEmpty() || report.concerns(position)) continue;
            String host = site.canonicalHost().get();
            if (all.sites().stream().anyMatch(other -> serves(other, host))) continue;
            report.warning(
                    position,
                    "no site has the host \"" + host + "\"",
                    "clients are redirected there and get 404; add it to \"hosts\"");
        }
    }

    private static boolean serves(Site site, String host) {
        return site.hosts().isEmpty()
                || site.hosts().contains(host)
                || site.hosts().stream()
                        .anyMatch(it -> it.startsWith("*.") && host.endsWith(it.substring(1)));
    }

    private void redirects() {
        for (int i = 0; i < all.listen().size(); i++) {
            int port = all.listen().get(i).redirectToHttps();
            if (port != 0 && !hasTls(port)) {
                report.warning(
                        position("listen", i, "redirect-to-https"),
                        "no [[listen]] has port " + port + " with tls = true",
                        "ignore this if a proxy in front of this server listens there");
            }
        }
    }

    private void hosts() {
        Map<String, Integer> taken = new HashMap<>();
        for (int i = 0; i < all.sites().size(); i++) {
            List<String> hosts = all.sites().get(i).hosts();
            if (report.concerns(position("site", i, "hosts"))) continue;
            if (hosts.isEmpty()) other(i, "", position("site", i), taken);
            for (int j = 0; j < hosts.size(); j++) {
                other(i, hosts.get(j), position("site", i, "hosts", j), taken);
            }
        }
    }

    private void other(int site, String host, SourcePosition position, Map<String, Integer> taken) {
        Integer earlier = taken.putIfAbsent(host, site);
        if (earlier == null) return;
        report.error(
                position,
                host.isEmpty()
                        ? "two sites have no hosts"
                        : "two sites have the host \"" + host + "\"",
                "the other one begins in line " + position("site", earlier).line());
    }

    private void hsts() {
        List<String> said = all.proxies().headers();
        if (hasTls() || said.contains("forwarded") || said.contains("x-forwarded-proto")) return;
        for (int i = 0; i < all.sites().size(); i++) {
            Site site = all.sites().get(i);
            boolean any =
                    Stream.concat(Stream.of(site.rules()), site.routes().stream().map(Route::rules))
                            .anyMatch(rules -> !rules.hsts().isZero());
            if (any) {
                report.warning(
                        position("site", i, "hsts"),
                        "\"hsts\" has no effect",
                        "the header is sent over HTTPS only, and no [[listen]] has tls = true");
            }
        }
    }

    /** Channels that the network can reach need credentials, or an explicit {@code open}. */
    private void channels() {
        Live live = all.live();
        boolean closed = password || live.passwordFile().isPresent() || live.tokens().isOn();
        if (!live.on() || live.open() || closed) return;
        for (int i = 0; i < all.listen().size(); i++) {
            Address address = all.listen().get(i).address();
            if (!address.isLocal()) {
                report.error(
                        position("listen", i, "address"),
                        "\"%s\" is open to the network, and the channels of [live] have neither a password nor a token key"
                                .formatted(address),
                        "set password-file (--password-file) or jwt-secret-file"
                                + " (--jwt-secret-file) in [live], or admit everyone with open = true (--open)");
            }
        }
    }

    private void tickets() {
        Live live = all.live();
        boolean asks = password || live.passwordFile().isPresent() || !live.tokens().isOn();
        boolean gives = asks && !live.tickets().path().isEmpty();
        if (!gives
                || live.broker().url().equals("memory")
                || live.tickets().secretFile().isPresent()) {
            return;
        }
        SourcePosition position = position("live", "broker");
        if (report.concerns(position)) return;
        report.error(
                position,
                "\"broker\" needs \"ticket-secret-file\": the other nodes would refuse the tickets of"
                        + " this one",
                "set ticket-secret-file (--ticket-secret-file) in [live] to a file with the same 16 bytes"
                        + " or more on all nodes, or ticket-path = \"\" for no tickets");
    }

    private void upstreams() {
        Map<String, Integer> known = new LinkedHashMap<>();
        for (int i = 0; i < all.upstreams().size(); i++) {
            SourcePosition position = position("upstream", i, "name");
            if (report.concerns(position)) continue;
            String name = all.upstreams().get(i).name();
            Integer earlier = known.putIfAbsent(name, i);
            if (earlier != null) {
                report.error(
                        position,
                        "two upstreams have the name \"" + name + "\"",
                        "the other one is in line " + position("upstream", earlier, "name").line());
            }
        }
        for (int i = 0; i < all.upstreams().size(); i++) {
            if (all.upstreams().get(i).registration().on()) registration(i);
        }
        Set<String> used = new HashSet<>();
        for (int i = 0; i < all.sites().size(); i++) {
            List<Route> routes = all.sites().get(i).routes();
            for (int j = 0; j < routes.size(); j++) {
                if (!(routes.get(j).action() instanceof Proxy proxy) || proxy.isUrl()) continue;
                used.add(proxy.to());
                SourcePosition position = position("site", i, "route", j, "proxy", "to");
                if (known.containsKey(proxy.to()) || report.concerns(position)) continue;
                report.error(
                        position,
                        "no upstream has the name \"" + proxy.to() + "\"",
                        unknown(proxy.to(), known.keySet()));
            }
        }
        if (hasScripts()) return; // which may forward to any upstream
        known.forEach(
                (name, i) -> {
                    if (used.contains(name)) return;
                    report.warning(
                            position("upstream", i, "name"),
                            "no route forwards to \"" + name + "\"",
                            "add proxy = \"" + name + "\" to a [[site.route]]");
                });
    }

    /** Servers register on the admin port, with a token. */
    private void registration(int upstream) {
        boolean token =
                all.admin().token().isPresent() || all.admin().registrationToken().isPresent();
        if (all.admin().address().isPresent() && token) return;
        report.error(
                position("upstream", upstream, "registration"),
                "servers register on the admin port, with a token",
                "in [admin], set address = \"127.0.0.1:9180\" and registration-token-file ="
                        + " \"registration.token\"");
    }

    private boolean hasScripts() {
        return all.sites().stream()
                .flatMap(site -> site.routes().stream())
                .anyMatch(route -> route.script().isPresent());
    }

    private static String unknown(String name, Set<String> known) {
        if (name.matches("[\\w.-]+:\\d+")) return "for a server, write \"http://" + name + "\"";
        String near = Nearest.hint(name, known);
        return near.isEmpty() ? "add an [[upstream]], or write the URL of a server" : near;
    }

    private void logs() {
        if (all.log().file() instanceof LogFile.Named(var file)
                && all.accessLog().file() instanceof LogFile.Named(var other)
                && file.equals(other)) {
            report.error(
                    position("log", "file"),
                    "two logs cannot share a file: " + file,
                    "choose another file for one of them");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.app.Client;
import io.sirocco.http.Percent;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The table by which access rules are found chooses the route that the router of the server
 * chooses: random sites and requests, over one server for each site.
 */
@Timeout(120)
class RouteTableTest {
    private static final List<String> SEGMENTS =
            List.of("a", "b", "a.php", "x.y.php", "{p}", "{q}", "%");
    private static final List<String> LAST = List.of("*", "*.php", "*.y.php", "a", "b", "{p}", "");
    private static final List<String> PARTS =
            List.of("a", "b", "c", "a.php", "x.y.php", ".php", "", "a%20b", "%61", "%25");
    private static final List<String> METHODS = List.of("", "GET", "POST", "GET,POST", "HEAD");
    private static final List<String> CONDITIONS =
            List.of("", "x=*", "x=1", "x=1,2", "y=*", "x=1;y=*", "x=*;y=2");
    private static final List<String> SENT =
            List.of("", "X: 1", "X: 2", "X: 3", "Y: 2", "X: 1|Y: 2", "X: 3|X: 2");

    private static String pick(Random random, List<String> of) {
        return of.get(random.nextInt(of.size()));
    }

    private static String pattern(Random random) {
        var path = new StringBuilder();
        boolean hasP = false;
        boolean hasQ = false;
        for (int i = random.nextInt(3); i > 0; i--) {
            String segment = pick(random, SEGMENTS);
            boolean again = segment.equals("{p}") && hasP || segment.equals("{q}") && hasQ;
            hasP |= segment.equals("{p}");
            hasQ |= segment.equals("{q}");
            path.append('/').append(again || segment.equals("%") ? "c" : segment);
        }
        String last = pick(random, LAST);
        return path.append('/').append(last.equals("{p}") && hasP ? "b" : last).toString();
    }

    /** A site of routes that the router takes: no two are for the same requests. */
    private static String site(Random random) {
        var text = new StringBuilder("[[site]]\n");
        var known = new HashSet<String>();
        for (int i = 1 + random.nextInt(10); i > 0; i--) {
            String path = pattern(random);
            String methods = pick(random, METHODS);
            String conditions = pick(random, CONDITIONS);
            boolean isNew = true;
            String key = path.replaceAll("\\{.}", "{}") + conditions.replaceAll("\\d(,\\d)?", "1");
            for (String method : methods.split(",")) {
                isNew &= known.add(key + " " + method);
            }
            if (!isNew) {
                continue;
            }
            text.append("[[site.route]]\npath = \"").append(path).append("\"\n");
            if (!methods.isEmpty()) {
                text.append("methods = [\"").append(methods.replace(",", "\", \"")).append("\"]\n");
            }
            if (!conditions.isEmpty()) {
                var all = new ArrayList<String>();
                for (String each : conditions.split(";")) {
                    String[] pair = each.split("=");
                    all.add(pair[0] + " = [\"" + pair[1].replace(",", "\", \"") + "\"]");
                }
                text.append("match-headers = { ").append(String.join(", ", all)).append(" }\n");
            }
        }
        return text.toString();
    }

    private static String name(Route route) {
        return route.match().toString();
    }

    private static Response chosen(Route by, RouteTable table, Request request) {
        String path = Percent.decode(request.path());
        Route other = table.at(path, request);
        boolean listed = table.all(path).anyMatch(route -> name(route).equals(name(by)));
        return Response.text(name(by) + " | " + name(other) + " | " + listed);
    }

    private static void add(Routes routes, Route route, RouteTable table) {
        List<String> methods =
                route.match().methods().isEmpty() ? List.of("*") : route.match().methods();
        for (String method : methods) {
            io.sirocco.http.Route added =
                    routes.route(method, route.path(), request -> chosen(route, table, request));
            route.match()
                    .headers()
                    .forEach((name, values) -> added.header(name, values.toArray(String[]::new)));
        }
    }

    @Test
    void itChoosesAsTheRouterDoes() throws Exception {
        choose(8);
    }

    @Tag("heavy")
    @Test
    void itChoosesAsTheRouterDoesForManySites() throws Exception {
        choose(60);
    }

    private static void choose(int sites) throws Exception {
        var random = new Random(7);
        for (int round = 0; round < sites; round++) {
            String text = site(random);
            Site site = Read.valid(text).sites().getFirst();
            var table = new RouteTable(site);
            try (Server server =
                            Server.start(
                                    config ->
                                            config.listen(new InetSocketAddress("127.0.0.1", 0))
                                                    .loops(1),
                                    routes -> table.all().forEach(r -> add(routes, r, table)));
                    var client = new Client(server.port())) {
                for (int i = 0; i < 60; i++) {
                    var target = new StringBuilder();
                    for (int n = random.nextInt(4); n >= 0; n--) {
                        target.append('/').append(pick(random, PARTS));
                    }
                    String method = pick(random, List.of("GET", "POST", "PUT", "DELETE"));
                    String sent = pick(random, SENT);
                    String[] fields = sent.isEmpty() ? new String[0] : sent.split("\\|");
                    Client.Answer answer = client.ask(method, target.toString(), fields);
                    String what = method + " " + target + " " + sent + "\n" + text;
                    assertEquals(200, answer.status(), what);
                    String[] all = answer.body().split(" \\| ");
                    assertEquals(all[0], all[1], what);
                    assertEquals("true", all[2], what);
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The manual, sirocco.toml, says what the program does. */
class ManualTest {

    /** A comment that is an option, a table, or a line of one that goes over several. */
    private static final Pattern EXAMPLE =
            Pattern.compile("# (\\[.*|[a-z]+(-[a-z]+)* = .*|    \\{ .*|\\])");

    private static String manual() {
        try (InputStream in =
                ManualTest.class.getResourceAsStream("/io/sirocco/app/sirocco.toml")) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String withExamples() {
        return manual().lines()
                .map(line -> EXAMPLE.matcher(line).matches() ? line.substring(2) : line)
                .collect(Collectors.joining("\n", "", "\n"));
    }

    @Test
    void eachValueInItIsTheUsualOne() {
        assertEquals(Read.valid("[[site]]\n").toJson(), Read.valid(manual()).toJson());
    }

    @Test
    void itsExamplesCanBeUsed(@TempDir Path folder) throws Exception {
        makeFiles(folder);
        Configuration all = Read.read(withExamples(), folder, Overrides.NONE);
        assertEquals(2, all.tls().certificates().size());
        assertEquals(10, all.sites().getFirst().routes().size());
        assertEquals(1, all.upstreams().size());
        assertEquals(1, all.caches().size());
        assertEquals(2, all.sites().getFirst().files().cacheControl().size());
    }

    private static void makeFiles(Path folder) throws IOException {
        String files =
                "clients.pem example.org.pem example.org.key key.password example.net.p12"
                        + " admin.token users admins live.password ticket.secret jwt.secret jwt.pem"
                        + " redis.password ca.pem client.pem client.key";
        for (String file : files.split(" ")) Files.createFile(folder.resolve(file));
        for (String directory : "public api scripts".split(" ")) {
            Files.createDirectory(folder.resolve(directory));
        }
    }

    /** So that the two can be read side by side. */
    @Test
    void checkPrintsInItsOrder(@TempDir Path folder) throws Exception {
        makeFiles(folder);
        String printed = Read.read(withExamples(), folder, Overrides.NONE).toToml();
        assertEquals(order(withExamples()), order(printed));
    }

    private static String order(String text) {
        String sites =
                text.substring(0, text.indexOf("[[site.route]]"))
                        .replaceFirst( // a second address, with less said of it
                                "(?s)\\[\\[listen]]\\s+address = \":8443\".*?(?=\\[proxies])", "");
        return Pattern.compile("(?m)^([a-z-]+ =|\\[.*])")
                .matcher(sites)
                .results()
                .map(MatchResult::group)
                .collect(Collectors.joining("\n"));
    }

    @Test
    void itHasEveryOptionAndNoOther() {
        var report = new Report();
        Source source = Source.of("manual", Path.of(""), withExamples());
        var written = new TreeMap<String, Set<String>>();
        keys("", Toml.read(source, report), written);
        var known = new TreeMap<String, Set<String>>();
        keys("", Options.example(), known);
        for (Map<String, Set<String>> keys : Set.of(written, known)) {
            keys.remove("site.mime"); // the keys of these are the operator's own
            keys.remove("site.headers");
            keys.remove("site.route.headers");
            keys.remove("site.route.match-headers");
            keys.remove("site.route.proxy.request-headers");
            keys.remove("site.route.proxy.response-headers");
            keys.remove("site.route.cache.default-ttl");
            keys.remove("site.route.script.config");
            keys.remove("site.route.basic-auth"); // said of sites
            keys.remove("site.route.rate-limit");
            keys.get("listen.tls").removeAll(keys.get("tls")); // said of [tls]
            keys.get("listen.tls.certificate").removeAll(keys.get("tls.certificate"));
            Set<String> route = keys.get("site.route");
            route.removeAll(keys.get("site"));
        }
        assertEquals(known.toString().replace("}, ", "},\n"), written.toString());
        assertTrue(known.get("site").contains("fallback"), known.toString());
    }

    private static void keys(String path, Node node, Map<String, Set<String>> found) {
        switch (node) {
            case Node.Fields(var fields, _) -> {
                found.computeIfAbsent(path, _ -> new TreeSet<>()).addAll(fields.keySet());
                fields.forEach(
                        (key, field) ->
                                keys(
                                        path.isEmpty() ? key : path + "." + key,
                                        field.value(),
                                        found));
            }
            case Node.Items(var items, _) -> items.forEach(item -> keys(path, item, found));
            default -> {}
        }
    }

    private static void keys(String path, Section section, Map<String, Set<String>> found) {
        found.computeIfAbsent(path, _ -> new TreeSet<>()).addAll(section.asked());
        section.entries()
                .forEach(
                        (key, entry) -> {
                            String inner = path.isEmpty() ? key : path + "." + key;
                            switch (entry) {
                                case Section.Inner(Section one) -> keys(inner, one, found);
                                case Section.Inners(var all) ->
                                        all.forEach(one -> keys(inner, one, found));
                                case Section.Leaf _ -> {}
                            }
                        });
    }
}

// SPDX-License-Identifier: Apache-2.0
package examples;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every block of Java in the documents compiles: as a whole file, as members of a class, or as
 * statements where the names of {@link #SCENE} are known.
 */
class DocumentsTest {

    private static final String IMPORTS =
            """
            import io.sirocco.http.*;
            import io.sirocco.http.client.*;
            import io.sirocco.live.*;
            import io.sirocco.live.Admission;
            import io.sirocco.live.Listener;
            import io.sirocco.live.broker.Limit;
            import io.sirocco.live.client.Connected;
            import io.sirocco.live.client.LiveClient;
            import io.sirocco.live.client.LiveNamespace;
            import io.sirocco.live.broker.Position;
            import io.sirocco.live.redis.RedisBroker;
            import io.sirocco.net.*;
            import io.sirocco.script.*;
            import io.sirocco.web.access.Cors;
            import io.sirocco.web.cache.*;
            import module java.base;
            import static io.sirocco.http.ExecutionMode.*;
            import static java.lang.Thread.sleep;
            """;

    /** What a snippet may take for granted. */
    private static final String SCENE =
            """
            class Snippet {
                static void run(
                        Server server, Config config, Routes routes, Handler handler, Handler report,
                        Filter login, Path path, Path folder, ExecutorService workers)
                        throws Exception {
            %s
                }
            }
            """;

    /** And inside of a handler. */
    private static final String HANDLING =
            """
            class Snippet {
                static void run(Request request, Path path, Path folder) throws Exception {
            %s
                }
            }
            """;

    /** And where requests are sent. */
    private static final String REQUESTING =
            """
            class Snippet {
                static void run(HttpClient client, Request request, Server server, Path path)
                        throws Exception {
            %s
                }
            }
            """;

    /** And where responses are cached. */
    private static final String CACHING =
            """
            class Snippet {
                static void run(Routes routes, ResponseCache cache, HttpClient client)
                        throws Exception {
            %s
                }
            }
            """;

    /** And where there are event channels. */
    private static final String CHANNELS =
            """
            class Snippet {
                record CookieJar(int amount) {}
                record Piece(String name) {}
                record Circle(int radius) {}
                record Square(int side) {}
                record Order(int number) {}
                static String now() { return ""; }
                static void move(int x, int y, Piece piece) {}
                static void store(byte[] bytes) {}
                static void draw(Object shape) {}
                static void audit(Order order) {}
                static int priceOf(String name) { return 0; }
                static Live live;
                static Client client;
                static String id;
                static byte[] secret;
                static Position position;
                static void run() throws Exception {
            %s
                }
            }
            """;

    private static final String MEMBERS = "class Snippet {\n%s\n}\n";

    private static final List<String> FORMS =
            List.of(SCENE, HANDLING, REQUESTING, CACHING, CHANNELS, MEMBERS, "%s");

    /** Has the compiler go on behind errors, to find those of all sources. */
    private static final String[] ALL_ERRORS = {
        "-XDshould-stop.ifError=FLOW", "-Xmaxerrs", "99999"
    };

    /** Those that were compiled together, which takes a fraction of the time. */
    private static Set<Snippet> compiled;

    record Snippet(Path document, int number, String text) {
        @Override
        public String toString() {
            return document.getFileName()
                    + " "
                    + number
                    + ": "
                    + text.lines().findFirst().orElse("");
        }
    }

    static Stream<Snippet> snippets() {
        return Snippets.documents().stream()
                .flatMap(
                        document -> {
                            List<String> all = Snippets.in(document);
                            return IntStream.range(0, all.size())
                                    .mapToObj(i -> new Snippet(document, i + 1, all.get(i)));
                        });
    }

    @BeforeAll
    static void compileTogether(@TempDir Path folder) {
        List<Snippet> all = snippets().toList();
        Map<String, Snippet> found = new HashMap<>();
        Map<String, String> sources = new HashMap<>();
        for (String form : FORMS) {
            Map<String, Snippet> tried = new HashMap<>();
            Map<String, String> texts = new HashMap<>();
            for (int i = 0; i < all.size(); i++) {
                String name = "s" + i + "/Snippet";
                if (!found.containsKey(name)) {
                    tried.put(name, all.get(i));
                    texts.put(name, "package s" + i + ";\n" + source(form, all.get(i)));
                }
            }
            Set<String> broken = Snippets.broken(texts, folder, ALL_ERRORS);
            tried.keySet().removeAll(broken);
            texts.keySet().removeAll(broken);
            found.putAll(tried);
            sources.putAll(texts);
        }
        boolean compile = Snippets.broken(sources, folder).isEmpty(); // this is what counts
        compiled = compile ? Set.copyOf(found.values()) : Set.of();
    }

    private static String source(String form, Snippet snippet) {
        return IMPORTS + form.formatted(snippet.text);
    }

    @ParameterizedTest
    @MethodSource("snippets")
    void compiles(Snippet snippet, @TempDir Path folder) {
        if (compiled.contains(snippet)) return;
        var said = new StringBuilder();
        for (String form : FORMS.reversed()) { // as a file without a package most likely
            String errors = Snippets.compile("Snippet", source(form, snippet), folder);
            if (errors.isEmpty()) return;
            said.append(errors).append("\n--\n");
        }
        fail(snippet + "\n" + said);
    }

    @Test
    void thePageOfTheServerHasSnippets() {
        assertTrue(Snippets.in(Snippets.TOP.resolve("docs/http.md")).size() > 10);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client;
import io.sirocco.app.Client.Answer;
import io.sirocco.app.Running;
import io.sirocco.app.ScriptEngine;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.Tls;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The sample sites and scripts of PokerFace, as docs/from-pokerface.md moves them: the folders in
 * src/test/resources/pokerface.
 */
@OnEachTransport
class PokerFaceSamplesTest {
    private static final Path SAMPLES = Path.of("src/test/resources/pokerface");

    @Parameter TransportKind transport;
    @TempDir Path folder;
    private final List<Server> servers = new ArrayList<>();
    private final Map<String, String> ports = new HashMap<>();
    private Running running;

    @BeforeAll
    static void loadTheEngine() throws Exception {
        ScriptEngine.load();
    }

    @AfterEach
    void stop() {
        if (running != null) running.close();
        servers.forEach(server -> server.stop(Duration.ZERO));
    }

    /** Starts a server that responds with its name, and the target and host that it has got. */
    private void target(String name, Tls... tls) {
        var address = new InetSocketAddress("127.0.0.1", 0);
        Server server =
                Server.start(
                        config -> {
                            config.loops(1);
                            if (tls.length == 0) {
                                config.listen(address);
                            } else {
                                config.listen(address, tls[0]);
                            }
                        },
                        routes ->
                                routes.any(
                                        "/*",
                                        request ->
                                                Response.text(
                                                        "%s %s %s %s"
                                                                .formatted(
                                                                        name,
                                                                        request.method(),
                                                                        request.target(),
                                                                        request.authority()))));
        servers.add(server);
        ports.put(name, Integer.toString(server.port()));
    }

    private void copy(String sample) throws IOException {
        Path from = SAMPLES.resolve(sample);
        try (Stream<Path> all = Files.walk(from)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                Path to = folder.resolve(from.relativize(file).toString());
                Files.createDirectories(to.getParent());
                Files.copy(file, to);
            }
        }
    }

    private void serve(String sample) throws Exception {
        copy(sample);
        start();
    }

    private void start() throws Exception {
        String toml = Files.readString(folder.resolve("sirocco.toml"));
        for (var port : ports.entrySet()) {
            toml = toml.replace("{" + port.getKey() + "}", port.getValue());
        }
        running = Running.of(folder, transport, toml);
    }

    private String get(String target, String... fields) throws IOException {
        Answer answer = Client.get(running.port(), target, fields);
        return answer.status() + " " + answer.body();
    }

    private String curl(int port, String path, String... more) throws Exception {
        var arguments = new ArrayList<>(List.of(more));
        arguments.addAll(List.of("-sS", "--max-time", "20", "--cacert", "authority.pem"));
        arguments.add("https://localhost:%d%s".formatted(port, path));
        String out = Tool.CURL.does(folder, arguments.toArray(String[]::new));
        return new String(out.getBytes(ISO_8859_1), UTF_8);
    }

    // ---- scripts

    @Tag("peers")
    @Test
    void locale() throws Exception {
        Authority.in(folder).signs("localhost");
        serve("locale");
        String spanish =
                curl(
                        running.port(),
                        "/helloWorld.html",
                        "-i",
                        "-H",
                        "Accept-Language: es, fr;q=0.8, en;q=0.7");
        assertTrue(spanish.startsWith("HTTP/1.1 200 "), spanish);
        assertTrue(spanish.contains("Content-Type: text/html; charset=utf-8\r\n"), spanish);
        assertTrue(spanish.contains("Content-Language: es\r\n"), spanish);
        assertTrue(spanish.contains("\r\nExpires: "), spanish);
        assertTrue(spanish.endsWith("<p>¡Hola, mundo! <p>jueves, 1 de enero de 1970"), spanish);
        String french = "Accept-Language: de, fr;q=0.3, es;q=0.1";
        assertTrue(curl(running.port(), "/helloWorld.html", "-H", french).contains("Bonjour"));
        assertTrue(curl(running.port(), "/helloWorld.html").contains("Hello, world!"));
        String otherCase = curl(running.port(), "/helloWorlD.html", "-i");
        assertTrue(otherCase.startsWith("HTTP/1.1 404 "), otherCase); // paths keep their case
    }

    @Test
    void split() throws Exception {
        serve("split");
        var pages = new HashMap<String, Integer>();
        try (var client = new Client(running.port())) {
            for (int i = 0; i < 200; i++) {
                Answer answer = client.ask("GET", "/page.html");
                pages.merge(answer.body(), 1, Integer::sum);
            }
        }
        assertEquals(Map.of("<h1>A</h1>", 100, "<h1>B</h1>", 100), pages);
    }

    private void script(String name, String text) throws IOException {
        Path file = folder.resolve("scripts").resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** The four files of PokerFace's page on scripts: two paths, a directory, and a library. */
    @ParameterizedTest
    @CsvSource({
        "/foo/bar.html, one GET /foo/bar.html localhost, file directory root",
        "/foo/bar.html?answer=file, by file, file",
        "/foo/bar.html?answer=directory, by directory, file directory",
        "/foo/bar.html?answer=root, by root, file directory root",
        "/foo/, one GET /foo/ localhost, directory root",
        "/foo/other.html, one GET /foo/other.html localhost, directory root",
        "/foo/bar.htmlx, one GET /foo/bar.htmlx localhost, directory root",
        "/other, one GET /other localhost, root",
        "/foo/#lib/hidden.html, one GET /foo/#lib/hidden.html localhost, directory root",
    })
    void tree(String target, String body, String called) throws Exception {
        target("one");
        copy("tree");
        script("?.js", asked("root"));
        script("foo/?.js", asked("directory"));
        script("foo/bar.html.js", asked("file"));
        script("foo/#lib/hidden.html.js", asked("hidden"));
        script("called.js", "export default () => ({ body: kv.get('called').join(' ') });");
        start();
        assertEquals("200 " + body.replace("#", "%23"), get(target.replace("#", "%23")));
        assertEquals("200 " + called, get("/called"));
    }

    /** Notes that it was asked, and passes the request on unless it is the one to respond. */
    private static String asked(String name) {
        return """
        export function inspectRequest(request) {
            request.state.called = (request.state.called ?? []).concat("%1$s");
            kv.set("called", request.state.called);
            return request.query.get("answer") === "%1$s" ? this : null;
        }
        export function generateResponse(request) {
            return { body: "by %1$s" };
        }
        """
                .formatted(name);
    }

    @Test
    void balancing() throws Exception {
        target("one");
        target("two");
        serve("balancing");
        for (String path : List.of("/script/a?x=1", "/pool/a?x=1")) {
            var counts = new HashMap<String, Integer>();
            try (var client = new Client(running.port())) { // one loop, which takes turns
                for (int i = 0; i < 20; i++) {
                    counts.merge(client.ask("GET", path).body(), 1, Integer::sum);
                }
            }
            assertEquals(
                    Map.of(
                            "one GET " + path + " localhost", 10,
                            "two GET " + path + " localhost", 10),
                    counts);
        }
        servers.getLast().stop(Duration.ZERO); // which no script notices, and the pool does
        for (int i = 0; i < 20; i++) {
            assertEquals("200 one GET /pool/b localhost", get("/pool/b"));
        }
    }

    @Test
    void dynamic() throws Exception {
        target("one");
        target("two");
        serve("dynamic");
        String elsewhere = "127.0.0.1:" + ports.get("two");
        assertTrue(get("/any/a?to=" + elsewhere).startsWith("200 two GET /any/a "));
        assertTrue(get("/any/a?to=known").startsWith("200 one GET /any/a "));
        assertTrue(get("/known/a?to=known").startsWith("200 one GET /known/a "));
        assertEquals("500 Internal Server Error", get("/known/a?to=" + elsewhere));
    }

    // ---- the proxy

    @Test
    void targets() throws Exception {
        target("one");
        target("two");
        serve("targets");
        String one = " 127.0.0.1:" + ports.get("one");
        String two = " 127.0.0.1:" + ports.get("two");
        assertEquals("200 one GET /public/foo/bar.html" + one, get("/public/foo/bar.html"));
        assertEquals("200 two GET /corp/bar/foo.html" + two, get("/private/bar/foo.html"));
        assertEquals("200 two GET /corp/?a=b" + two, get("/private/?a=b"));
        assertEquals("404 Not Found", get("/other"));
    }

    @Test
    void shadowing() throws Exception {
        target("one");
        serve("shadowing");
        assertEquals("200 a local copy\n", get("/note.txt"));
        assertEquals("200 one GET /logo.png localhost", get("/logo.png"));
        Files.writeString(folder.resolve("public/logo.png"), "copy");
        servers.getFirst().stop(Duration.ZERO);
        assertEquals("200 copy", get("/logo.png"));
        Files.delete(folder.resolve("public/note.txt"));
        assertEquals("502 Bad Gateway", get("/note.txt"));
    }

    @Tag("peers")
    @Test
    void bridging() throws Exception {
        Authority authority = Authority.in(folder);
        authority.signs("localhost");
        Path chain = folder.resolve("localhost.pem");
        Path key = folder.resolve("localhost.key");
        target("one");
        target("secure", Tls.of(settings -> settings.certificate(chain, key)));
        serve("bridging");
        int tls = running.ports().getFirst();
        int plain = running.ports().getLast();
        assertEquals("one GET /plain/a localhost:" + tls, curl(tls, "/plain/a"));
        assertEquals("secure GET /secure/a localhost:" + tls, curl(tls, "/secure/a"));
        Answer answer = Client.get(plain, "/secure/a");
        assertEquals("secure GET /secure/a localhost", answer.body());
    }

    // ---- files

    /** Files of the published sizes, with the headers that its nginx.conf asks for. */
    @ParameterizedTest
    @CsvSource({
        "pokerface.html, 81, text/html; charset=utf-8",
        "pokerface.jpg, 130768, image/jpeg",
        "jquery.js, 284184, text/javascript; charset=utf-8",
    })
    void benchmark(String name, int size, String type) throws Exception {
        var bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        Path file = Files.createDirectories(folder.resolve("public")).resolve(name);
        Files.write(file, bytes);
        serve("benchmark");
        try (var client = new Client(running.port())) {
            for (int i = 0; i < 3; i++) { // kept alive, and from the cache
                Answer answer = client.ask("GET", "/" + name, "Range: bytes=0-1");
                assertEquals(200, answer.status());
                assertEquals(type, answer.field("Content-Type"));
                assertEquals("no-cache", answer.field("Cache-Control"));
                assertFalse(answer.head().contains("Accept-Ranges: bytes"), answer.head());
                assertEquals(new String(bytes, ISO_8859_1), answer.body());
            }
        }
    }
}

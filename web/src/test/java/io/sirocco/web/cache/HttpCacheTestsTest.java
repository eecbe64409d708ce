// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Server;
import io.sirocco.http.peer.Npm;
import io.sirocco.testkit.FreePort;
import io.sirocco.web.proxy.Proxy;
import io.sirocco.web.proxy.Upstream;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The proxy with its cache between client and origin of http-cache-tests (cache-tests.fyi). What
 * fails is in expected.txt, with the reason. Its dependency on the program npm, which is not used,
 * is overridden by a small package.
 */
@Tag("peers")
class HttpCacheTestsTest {
    private static final Path FOLDER = Path.of("src/test/peers/http-cache-tests");

    /** A line of run.mjs. */
    private record Result(String outcome, String kind, String id, String line) {
        static Result parse(String line) {
            String[] parts = line.split("\t");
            assertTrue(parts.length >= 3, line);
            return new Result(parts[0], parts[1], parts[2], line);
        }

        boolean failed() {
            return outcome.equals("fail");
        }
    }

    @Test
    void allRequiredTestsPassButThoseThatAreListedWithAReason() throws Exception {
        var npm = new Npm("http-cache-tests");
        int port = FreePort.tcp();
        Process origin = npm.start("server.mjs", "" + port);
        try (BufferedReader lines = origin.inputReader()) {
            assertTrue(lines.readLine().startsWith("Listening on"));
            test(npm, port);
        } finally {
            origin.destroyForcibly().waitFor();
        }
    }

    private static void test(Npm npm, int port) throws IOException {
        // it closes connections and sends malformed responses on purpose
        Upstream origin = Upstream.of(s -> s.maxFailures(1_000_000), "http://127.0.0.1:" + port);
        try (ResponseCache cache = ResponseCache.create(o -> o.rules(CacheRules::storeSetCookie))) {
            Server server =
                    Server.start(
                            config ->
                                    config.listen(
                                            new InetSocketAddress(
                                                    InetAddress.getLoopbackAddress(), 0)),
                            routes -> routes.any("/*", Proxy.to(origin, o -> o.cache(cache))));
            try {
                compare(npm, "127.0.0.1:" + server.port());
            } finally {
                server.stop(Duration.ZERO);
            }
        } finally {
            origin.close();
        }
    }

    private static void compare(Npm npm, String cache) throws IOException {
        TreeSet<String> listed = listed();
        List<Result> results = run(npm, cache);
        assertTrue(results.size() >= 350, results.size() + " tests");
        var failed = new TreeSet<String>();
        results.stream().filter(Result::failed).map(Result::id).forEach(failed::add);
        var unexpected = new ArrayList<>(failed);
        unexpected.removeAll(listed);
        if (!unexpected.isEmpty()) { // some wait for seconds to pass: once more, on their own
            results = run(npm, Stream.concat(Stream.of(cache), unexpected.stream()));
            assertEquals(List.of(), results.stream().filter(Result::failed).toList());
        }
        listed.removeAll(failed);
        assertEquals(List.of(), List.copyOf(listed), "these are listed, and pass");
    }

    private static List<Result> run(Npm npm, String cache) {
        return run(npm, Stream.of(cache));
    }

    private static List<Result> run(Npm npm, Stream<String> arguments) {
        return npm.run("run.mjs", arguments.toArray(String[]::new)).stream()
                .map(Result::parse)
                .toList();
    }

    /** Returns the tests of expected.txt: a line each, indented below their reason. */
    private static TreeSet<String> listed() throws IOException {
        var listed = new TreeSet<String>();
        for (String line : Files.readAllLines(FOLDER.resolve("expected.txt"))) {
            if (line.startsWith("    ")) {
                assertTrue(listed.add(line.strip()), line + " is there twice");
            }
        }
        return listed;
    }
}

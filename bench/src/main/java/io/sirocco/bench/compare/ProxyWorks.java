// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static io.sirocco.bench.compare.Work.Shape.keepAlive;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Works of reverse proxies, which forward to the {@link Upstream} on connections that stay open, or
 * respond from their cache. The requests have the headers of a browser.
 */
final class ProxyWorks {
    /** From one browser to another their values differ, and hardly their number and size. */
    private static final Map<String, String> BROWSER = browser();

    static final Exchange SMALL = exchange("/proxy/small.json", small());
    static final Exchange LARGE = exchange("/proxy/100k.json", records(100_000));
    static final Exchange CACHED = exchange("/cached/1k.json", records(1_000));

    static final List<Work> ALL =
            List.of(
                    new Work(
                            "proxy-small",
                            "reverse proxy, 100 bytes, keep-alive, 64 connections",
                            "GET /proxy/small.json with the headers of a browser, forwarded to the"
                                    + " upstream on connections that stay open.",
                            "proxy-small",
                            List.of(SMALL),
                            keepAlive(64)),
                    new Work(
                            "proxy-100k",
                            "reverse proxy, 100,000 bytes, keep-alive, 64 connections",
                            "GET /proxy/100k.json, forwarded in the same way.",
                            "proxy-100k",
                            List.of(LARGE),
                            keepAlive(64)),
                    new Work(
                            "proxy-cached",
                            "1,000 bytes from the cache of a proxy, keep-alive, 64 connections",
                            "GET /cached/1k.json, which the proxy requests once and stores.",
                            "proxy-cached",
                            List.of(CACHED),
                            keepAlive(64)));

    private ProxyWorks() {}

    /** Puts the bodies into a folder, for the upstream: {@code proxy-} and the name in the path. */
    static void write(Path folder) throws IOException {
        for (Exchange exchange : List.of(SMALL, LARGE, CACHED)) {
            String path = exchange.path();
            String name = "proxy-" + path.substring(path.lastIndexOf('/') + 1);
            Files.write(folder.resolve(name), exchange.body());
        }
    }

    private static Exchange exchange(String path, byte[] body) {
        return new Exchange(path, 1, List.of("application/json"), body, BROWSER);
    }

    /** Eight beside Host. No cookie: Varnish and HAProxy would not use their caches. */
    private static Map<String, String> browser() {
        var fields = new LinkedHashMap<String, String>();
        fields.put(
                "User-Agent",
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0");
        fields.put("Accept", "application/json, text/plain, */*");
        fields.put("Accept-Language", "en-US,en;q=0.7,de;q=0.3");
        fields.put("Accept-Encoding", "gzip, deflate, br, zstd");
        fields.put("Referer", "http://127.0.0.1/shop/items?page=2");
        fields.put("Sec-Fetch-Dest", "empty");
        fields.put("Sec-Fetch-Mode", "cors");
        fields.put("Sec-Fetch-Site", "same-origin");
        return Collections.unmodifiableMap(fields);
    }

    /** 100 bytes, with nothing that nginx's configuration would have to escape. */
    private static byte[] small() {
        String body =
                "{\"id\":4711,\"name\":\"Ada Lovelace\",\"email\":\"ada@example.org\",\"active\":true,"
                        + "\"roles\":[\"admin\",\"editor\"]}";
        return (body + " ".repeat(100 - body.length())).getBytes(StandardCharsets.US_ASCII);
    }

    /** A list of so many bytes. */
    private static byte[] records(int size) {
        var body = new StringBuilder("[");
        for (int i = 0; ; i++) {
            String next =
                    "{\"id\":%d,\"name\":\"item %d\",\"price\":%d}".formatted(i, i, i * 37 % 1000);
            if (body.length() + next.length() + 2 > size) {
                break;
            }
            body.append(i == 0 ? "" : ",").append(next);
        }
        return (body + " ".repeat(size - body.length() - 1) + "]")
                .getBytes(StandardCharsets.US_ASCII);
    }
}

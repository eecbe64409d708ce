// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.bench.Load;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** URLs and addresses, one or many. */
class SiteTest {

    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1,           80,   127.0.0.1,      /",
        "HTTP://127.0.0.1/,          80,   127.0.0.1,      /",
        "http://127.0.0.1:80/,       80,   127.0.0.1,      /",
        "http://127.0.0.1:/,         80,   127.0.0.1,      /",
        "http://127.0.0.1:8080/a/b,  8080, 127.0.0.1:8080, /a/b",
        "http://127.0.0.1?q,         80,   127.0.0.1,      /?q",
        "http://127.0.0.1/?,         80,   127.0.0.1,      /?",
        "http://127.0.0.1/a?b=c&d#e, 80,   127.0.0.1,      /a?b=c&d",
        "http://127.0.0.1/%20/%C3,   80,   127.0.0.1,      /%20/%C3",
        "http://127.0.0.1/ä?ö,       80,   127.0.0.1,      /%C3%A4?%C3%B6",
        "http://[::1]:90/,           90,   [::1]:90,       /",
        "http://localhost:90/,       90,   localhost:90,   /",
        "http://LOCALHOST:90/,       90,   localhost:90,   /"
    })
    void aUrlTakenApart(String url, int port, String host, String target) {
        Site site = Site.of(url);
        assertEquals(port, site.address().getPort());
        assertEquals(host, site.host());
        assertEquals(target, site.target());
    }

    @Test
    void aFileOfThemTakesThemInOrder(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("urls");
        Files.writeString(
                file,
                """
                # ours
                http://127.0.0.1:8080/a

                   http://127.0.0.1:8080/b\t
                #http://127.0.0.1:8080/c
                http://127.0.0.1:8080/a
                """);
        UrlFile urls = UrlFile.read(file);
        assertEquals(Load.Order.ROUND_ROBIN, urls.order());
        assertEquals(List.of("/a", "/b", "/a"), targets(urls));
    }

    @Test
    void orByWeightIfOneHasOne(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("urls");
        Files.writeString(file, "http://127.0.0.1/a\r\n999999 \t http://127.0.0.1/b\r\n");
        UrlFile urls = UrlFile.read(file);
        assertEquals(Load.Order.WEIGHTED, urls.order());
        assertEquals(List.of("/a", "/b"), targets(urls));
        List<Integer> weights = urls.entries().stream().map(UrlFile.Entry::weight).toList();
        assertEquals(List.of(1, 999_999), weights);
    }

    private static List<String> targets(UrlFile urls) {
        return urls.entries().stream().map(entry -> entry.site().target()).toList();
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.2,               1,     127.0.0.2,     127.0.0.2",
        "127.0.0.2-127.0.0.2,     1,     127.0.0.2,     127.0.0.2",
        "127.0.0.2-127.0.0.50,    49,    127.0.0.2,     127.0.0.50",
        "127.0.0.254-127.0.2.1,   260,   127.0.0.254,   127.0.2.1",
        "200.0.0.0-200.0.255.255, 65536, 200.0.0.0,     200.0.255.255",
        "::1,                     1,     0:0:0:0:0:0:0:1, 0:0:0:0:0:0:0:1"
    })
    void sources(String word, int count, String first, String last) {
        List<InetAddress> addresses = new Sources.Word().convert(word).addresses();
        assertEquals(count, addresses.size());
        assertEquals(count, addresses.stream().distinct().count());
        assertEquals(first, addresses.getFirst().getHostAddress());
        assertEquals(last, addresses.getLast().getHostAddress());
    }
}

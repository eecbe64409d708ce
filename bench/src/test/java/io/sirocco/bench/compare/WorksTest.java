// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorksTest {
    @Test
    void allAreTheTenBasicOnes() {
        assertEquals(
                List.of(
                        "plaintext",
                        "plaintext-512",
                        "pipelined",
                        "churn",
                        "churn-1000",
                        "virtual",
                        "echo19",
                        "files",
                        "files-close",
                        "assets"),
                names("all"));
    }

    @Test
    void aWorkOfTwoGroupsIsDoneOnce() {
        assertEquals(
                List.of("files", "files-close", "plaintext"),
                names("files", "pokerface", "plaintext"));
    }

    @Test
    void qurricaneIsAbAsItWasAndOurGeneratorAsItIsFair() {
        assertEquals(
                List.of(
                        "qurricane-ab-30",
                        "qurricane-ab-1000",
                        "qurricane-30",
                        "qurricane-1000",
                        "echo19"),
                names("qurricane"));
        Work literal = Works.named(List.of("qurricane-ab-30")).getFirst();
        assertEquals(15, literal.rounds(5));
    }

    @Test
    void anUnknownOneNamesTheKnown() {
        var e = assertThrows(IllegalArgumentException.class, () -> names("plaintxt"));
        assertTrue(e.getMessage().startsWith("there is no work 'plaintxt'; there are plaintext, "));
        assertTrue(
                e.getMessage()
                        .endsWith(
                                "the groups all, qurricane, pokerface, fire-io-rest, proxy, live"));
    }

    @Test
    void everyWorkMakesALoad() {
        var server = new InetSocketAddress("127.0.0.1", 8080);
        var works = Works.named(List.of("all", "qurricane", "pokerface", "fire-io-rest", "proxy"));
        assertTrue(works.size() > names("all").size());
        for (Work work : works) {
            assertDoesNotThrow(() -> work.load(server, Duration.ofSeconds(1)), work.name());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> work.load(server, Duration.ZERO),
                    work.name());
        }
    }

    @Test
    void theFilesHaveTheSizesOfThePublishedOnes() {
        assertEquals(81, SiteFiles.PAGE.body().length);
        assertEquals(130_768, SiteFiles.PICTURE.body().length);
        assertEquals(284_184, SiteFiles.LIBRARY.body().length);
    }

    @Test
    void proxiesForwardTheRequestsOfABrowser() {
        assertEquals(List.of("proxy-small", "proxy-100k", "proxy-cached"), names("proxy"));
        assertEquals(100, ProxyWorks.SMALL.body().length);
        assertEquals(100_000, ProxyWorks.LARGE.body().length);
        assertEquals(1_000, ProxyWorks.CACHED.body().length);
        for (Work work : Works.named(List.of("proxy"))) {
            assertEquals(8, work.exchanges().getFirst().fields().size());
        }
    }

    @Test
    void theUpstreamReadsTheSmallBodyFromItsConfiguration() {
        String body = new String(ProxyWorks.SMALL.body(), StandardCharsets.US_ASCII);
        assertTrue(body.chars().noneMatch(c -> "'$\\".indexOf(c) >= 0), body);
        assertTrue(body.endsWith("}"), body); // the shell drops line ends
    }

    @Test
    void theFilesOfTheUpstreamAreTheBodies(@TempDir Path folder) throws IOException {
        ProxyWorks.write(folder);
        byte[] large = Files.readAllBytes(folder.resolve("proxy-100k.json"));
        assertArrayEquals(ProxyWorks.LARGE.body(), large);
    }

    @Test
    void theWorksOfEventChannelsMakePlansAndCountWhatTheyAreAbout() {
        var server = new InetSocketAddress("127.0.0.1", 8080);
        assertEquals(List.of("live-connect", "live-echo", "live-fanout"), names("live"));
        for (Work work : Works.named(List.of("live"))) {
            work.plan(server, Duration.ofSeconds(1), () -> 0);
        }
        assertEquals(
                List.of("client", "round trip", "delivery"),
                Works.named(List.of("live")).stream().map(Work::unit).toList());
    }

    private static List<String> names(String... asked) {
        return Works.named(List.of(asked)).stream().map(Work::name).toList();
    }

    @Test
    void assetsAreTwentySmallFilesOfWhichHalfAreCompressed() {
        assertEquals(20, Assets.ALL.size());
        for (Exchange asset : Assets.ALL) {
            assertTrue(asset.body().length <= 30_000, asset::path);
            boolean packed = asset.body()[0] == 0x1f && asset.body()[1] == (byte) 0x8b;
            assertEquals(!asset.path().endsWith(".png"), packed, asset::path);
        }
    }
}

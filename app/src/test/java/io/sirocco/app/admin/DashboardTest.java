// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Browser;
import io.sirocco.app.Client;
import io.sirocco.http.Headers;
import io.sirocco.http.Server;
import io.sirocco.web.cache.Origin;
import io.sirocco.web.cache.OriginResponse;
import io.sirocco.web.cache.ResponseCache;
import io.sirocco.web.metrics.Latency;
import io.sirocco.web.metrics.LatencyCounts;
import io.sirocco.web.proxy.UpstreamStats;
import io.sirocco.web.proxy.UpstreamStats.ServerStats;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard in a real browser, beside a server that is asked something. */
@Tag("peers")
class DashboardTest {
    private static final String LINES =
            "[...document.querySelectorAll('.chart')].filter(c => c.querySelector('.plot path[d^=M]'))";

    private static final String CELL =
            "document.querySelector('.cache :nth-child(%d)').textContent";

    private static void ask(Stage stage, String path, int times) throws Exception {
        var request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + stage.server.port() + path))
                        .build();
        try (var http = HttpClient.newHttpClient()) {
            for (int i = 0; i < times; i++) {
                http.send(request, BodyHandlers.discarding());
            }
        }
    }

    @Test
    void liveNumbersArriveAndNothingIsComplainedOf() throws Exception {
        try (var stage = new Stage();
                Admin admin = stage.admin(Optional.empty(), true);
                var browser = new Browser()) {
            browser.open("http://localhost:" + admin.port() + "/");
            browser.until("document.getElementById('state').textContent === 'serving'");
            browser.until(
                    "document.getElementById('routes').innerText.includes('No requests yet')");
            ask(stage, "/hello/you", 20);
            ask(stage, "/none", 1);
            ask(stage, "/broken", 3);
            stage.refusals = Map.of("<b>rate-limit</b>", 7L);
            browser.until("document.getElementById('routes').innerText.includes('/hello/{name}')");
            browser.until("document.getElementById('refusals').innerText.includes('<b>rate')");
            browser.until("document.getElementById('answered').textContent === '24'");
            browser.until("document.getElementById('busy').textContent.endsWith('%')");
            browser.until(LINES + ".length === 6"); // a line in each chart
            assertEquals(List.of(), browser.complaints());
        }
    }

    /** Charts with maxima from one to 8 TiB; answers the axes on which two lines have one label. */
    private static final String AXES =
            """
            Promise.all([import('./chart.js'), import('./figures.js')]).then(([{ Chart }, figures]) => {
              const found = [];
              for (const format of [figures.bytes, figures.rate]) {
                let height = 1;
                const series = [{ name: 'all', colour: 'two', value: () => height }];
                const bytes = format === figures.bytes;
                const options = { title: 'all', format, bytes, ceiling: bytes ? 1024 : 4, series };
                const chart = new Chart(document.body, options);
                for (; height < 2 ** 43; height *= 1.07) {
                  chart.update([{ time: 0 }]);
                  const all = [...chart.plot.querySelectorAll('text[x="38"]')].map((one) => one.textContent);
                  if (all.length < 2 || new Set(all).size < all.length) found.push(all.join(', '));
                }
              }
              window.found = found;
            }); 0
            """;

    @Test
    void noAxisHasTheSameLabelTwice() throws Exception {
        try (var stage = new Stage();
                Admin admin = stage.admin(Optional.empty(), true);
                var browser = new Browser()) {
            browser.open("http://localhost:" + admin.port() + "/");
            browser.until("document.getElementById('state').textContent === 'serving'");
            browser.value(AXES);
            browser.until("window.found");
            assertEquals("[]", browser.value("window.found").toString());
        }
    }

    @Test
    void whoComesLaterSeesWhatWasBefore() throws Exception {
        try (var stage = new Stage();
                Admin admin = stage.admin(Optional.empty(), true);
                var browser = new Browser()) {
            ask(stage, "/page", 10);
            browser.open("http://localhost:" + admin.port() + "/");
            browser.until(LINES + ".length === 6");
            browser.open("about:blank");
            browser.open("http://localhost:" + admin.port() + "/");
            browser.until(
                    "document.querySelector('.plot .series[d*=L]')?.getAttribute('d')"
                            + ".split('L').length > 3");
            browser.until("document.getElementById('answered').textContent === '10'");
        }
    }

    @Test
    void aCutStreamIsSaidAndTakenUpAgain() throws Exception {
        try (var stage = new Stage();
                var browser = new Browser()) {
            int port;
            try (Admin admin = stage.admin(Optional.empty(), true)) {
                port = admin.port();
                browser.open("http://localhost:" + port + "/");
                browser.until("document.getElementById('state').textContent === 'serving'");
            }
            browser.until("document.getElementById('state').textContent === 'disconnected'");
            browser.until("!document.getElementById('notice').hidden");
            try (Admin again = stage.admin(port)) {
                browser.until("document.getElementById('state').textContent === 'serving'");
                browser.until("document.getElementById('notice').hidden");
                assertEquals(port, again.port());
            }
        }
    }

    @Test
    void aDrainIsShown() throws Exception {
        try (var stage = new Stage();
                Admin admin = stage.admin(Optional.empty(), true);
                var browser = new Browser()) {
            browser.open("http://localhost:" + admin.port() + "/");
            stage.drain();
            browser.until("document.getElementById('state').textContent === 'draining'");
            assertTrue(browser.text().contains("accepts no more"));
        }
    }

    @Test
    void theTokenIsAskedForOnceAndLeavesTheAddressBar(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("token");
        try (var stage = new Stage();
                Admin admin = stage.admin(Optional.of(file), true);
                var browser = new Browser()) {
            String page = "http://localhost:" + admin.port() + "/";
            browser.open(page);
            browser.until("document.body.innerText.includes('This page needs a token.')");
            browser.open(page + "?token=" + Files.readString(file).strip());
            browser.until("document.getElementById('state')?.textContent === 'serving'");
            assertEquals(page, browser.value("location.href").asString());
            browser.open(page);
            browser.until("document.getElementById('state')?.textContent === 'serving'");
        }
    }

    private static UpstreamStats upstream(long requests, long failures) {
        var latency = new LatencyCounts();
        for (int i = 0; i < requests; i++) {
            latency.add(0, 2_000_000);
        }
        var quick =
                new ServerStats(
                        "http://10.0.0.1:8080", "up", requests, 0, 3, 1, 6, 4, latency.sum());
        var broken =
                new ServerStats(
                        "http://a-host-with-a-long-name." + "x".repeat(60) + ".internal:8080",
                        "ejected",
                        failures,
                        failures,
                        0,
                        0,
                        0,
                        0,
                        Latency.none());
        return new UpstreamStats("<b>api</b>", requests, 2, 1, 3, 7, 4, 5, List.of(quick, broken));
    }

    @Test
    void upstreamsAreShownWithTheirServersAndFitAPhone() throws Exception {
        try (var stage = new Stage();
                Admin admin = stage.admin(Optional.empty(), true);
                var browser = new Browser()) {
            browser.screen(390, 844, "dark");
            browser.open("http://localhost:" + admin.port() + "/");
            browser.until("document.getElementById('state').textContent === 'serving'");
            browser.until("document.getElementById('upstreams-panel').hidden");
            stage.upstreams = List.of(upstream(100, 10));
            browser.until("document.getElementById('upstreams').innerText.includes('<b>api</b>')");
            browser.until("document.getElementById('upstreams').innerText.includes('7 open')");
            browser.until(
                    "[...document.querySelectorAll('.server td:nth-child(2)')]"
                            + ".map(e => e.textContent).join() === 'ejected,up'");
            browser.until("document.querySelectorAll('.server')[1].innerText.includes(' ms')");
            browser.until(
                    "document.querySelectorAll('.server')[1].innerText.includes('6 (4 idle)')");
            assertEquals(390, browser.value("document.documentElement.scrollWidth").asInt());
            assertEquals(
                    "true",
                    browser.value(
                                    "String((e => e.scrollWidth <= e.clientWidth)(document"
                                            + ".querySelector('#upstreams-panel .scroll')))")
                            .asString());
            stage.upstreams = List.of();
            browser.until("document.getElementById('upstreams-panel').hidden");
            assertEquals(List.of(), browser.complaints());
        }
    }

    @Test
    void cachesAreShownWithWhatTheyStoreAndFitAPhone() throws Exception {
        Origin origin =
                asked ->
                        CompletableFuture.completedFuture(
                                new OriginResponse(
                                        200,
                                        Headers.of("Cache-Control", "max-age=60"),
                                        OptionalLong.of(0),
                                        () -> CompletableFuture.completedFuture(new byte[0])));
        try (var stage = new Stage();
                ResponseCache cache = ResponseCache.create();
                Server asked =
                        Server.start(
                                c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                                routes -> routes.get("/*", r -> cache.respond(r, origin)));
                Admin admin = stage.admin(Optional.empty(), true);
                var browser = new Browser()) {
            browser.screen(390, 844, "light");
            browser.open("http://localhost:" + admin.port() + "/");
            browser.until("document.getElementById('state').textContent === 'serving'");
            assertTrue(browser.value("document.getElementById('caches-panel').hidden").asBoolean());
            String name = "<b>a-cache-with-a-long-name</b>" + "x".repeat(60);
            stage.caches = Map.of(name, cache);
            for (int i = 0; i < 4; i++) {
                assertEquals(200, Client.get(asked.port(), "/a").status());
            }
            browser.until("document.getElementById('caches').innerText.includes('<b>a-cache')");
            browser.until(CELL.formatted(4) + " === '1'");
            browser.until(CELL.formatted(3) + ".startsWith('75')");
            assertEquals(390, browser.value("document.documentElement.scrollWidth").asInt());
            stage.caches = Map.of();
            browser.until("document.getElementById('caches-panel').hidden");
            assertEquals(List.of(), browser.complaints());
        }
    }

    @Test
    void itFitsAPhone() throws Exception {
        try (var stage = new Stage();
                Admin admin = stage.admin(Optional.empty(), true);
                var browser = new Browser()) {
            ask(stage, "/page", 3);
            browser.screen(390, 844, "dark");
            browser.open("http://localhost:" + admin.port() + "/");
            browser.until(LINES + ".length > 0");
            assertEquals(390, browser.value("document.documentElement.scrollWidth").asInt());
        }
    }
}

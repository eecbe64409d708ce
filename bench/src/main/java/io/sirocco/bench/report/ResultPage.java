// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.Failure;
import io.sirocco.bench.Result;
import io.sirocco.bench.live.LiveResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A {@link Result} as one HTML file, for {@code bench http --html}: its figures, the latency curve,
 * rate and latency over time, statuses and failures. It loads nothing. Any thread.
 */
public final class ResultPage {
    private ResultPage() {}

    /**
     * The file's text, in UTF-8 when it is written.
     *
     * @param title what was measured, such as the URL
     * @param command the command line that does it again
     */
    public static String of(String title, String command, Result result) {
        var page = page(title, command, ResultTable.warning(result));
        tiles(page.html, result, "requests");
        if (result.requests() > 0) {
            charts(page, result, "Requests");
        }
        statuses(page, result);
        failures(page, result, "requests");
        return page.done();
    }

    /** The same for clients of event channels, with all that a terminal is told. */
    public static String of(String title, String command, LiveResult result) {
        var page = page(title, command, LiveTable.warning(result));
        String units = result.work().units();
        tiles(page.html, result.figures(), units);
        page.html.element("pre", LiveTable.of(result));
        if (result.figures().requests() > 0) {
            String first = units.substring(0, 1).toUpperCase(Locale.ROOT);
            charts(page, result.figures(), first + units.substring(1));
        }
        failures(page, result.figures(), "times");
        return page.done();
    }

    private static Page page(String title, String command, Optional<String> warning) {
        var page = new Page("Sirocco bench: " + title);
        page.html.element("h1", title);
        page.html.element("pre", command);
        warning.ifPresent(w -> page.html.element("p", w, "class", "warning"));
        return page;
    }

    private static void charts(Page page, Result result, String units) {
        page.charts(
                LatencyChart.of(LatencyCurve.of(result)),
                TimeChart.of(units + "/s in each second", rates(result), Units::si),
                TimeChart.of("p99 of each second", p99(result), Units::tick));
    }

    private static void tiles(Markup html, Result result, String units) {
        html.open("div", "class", "tiles");
        tile(html, Units.count(result.requestsPerSecond()), units + "/s");
        for (double percentile : new double[] {50, 90, 99, 99.9}) {
            tile(html, Units.time(result.micros(percentile)), "p" + Units.plain(percentile));
        }
        tile(html, Units.time(result.micros(100)), "slowest");
        tile(html, Units.count(result.requests()), units);
        tile(html, Units.count(result.failed()), "failed");
        double seconds = result.elapsed().toNanos() / 1e9;
        tile(html, Units.time(seconds * 1e6), "measured");
        double perSecond = seconds > 0 ? result.bytesIn() / seconds : 0;
        tile(html, Units.bytes(perSecond) + "/s", "received");
        tile(html, Units.percent(result.generatorShare()), "of the generator's CPU time");
        html.close();
    }

    private static void tile(Markup html, String figure, String words) {
        html.open("div", "class", "tile").element("b", figure).element("span", words).close();
    }

    private static List<Lines.Dot> rates(Result result) {
        var dots = new ArrayList<Lines.Dot>();
        long last = 0;
        for (Result.Second second : seconds(result)) {
            long millis = Math.max(1, second.atMillis() - last);
            last = second.atMillis();
            dots.add(new Lines.Dot(last / 1e3, second.requests() * 1e3 / millis));
        }
        return dots;
    }

    private static List<Lines.Dot> p99(Result result) {
        return seconds(result).stream()
                .map(second -> new Lines.Dot(second.atMillis() / 1e3, second.p99()))
                .toList();
    }

    /** Without the last one, if there are others and it was short: it would look like a slump. */
    private static List<Result.Second> seconds(Result result) {
        List<Result.Second> all = result.overTime();
        int n = all.size();
        boolean cut = n > 1 && all.get(n - 1).atMillis() - all.get(n - 2).atMillis() < 500;
        return cut ? all.subList(0, n - 1) : all;
    }

    private static void statuses(Page page, Result result) {
        var statuses = new ArrayList<Page.Row>();
        new TreeMap<>(result.statuses())
                .forEach((status, count) -> statuses.add(row("" + status, count)));
        page.html.element("h2", "Statuses");
        table(page, "status", "answers", statuses);
    }

    private static void failures(Page page, Result result, String count) {
        var failures = new ArrayList<Page.Row>();
        for (Map.Entry<Failure, Long> failure : new TreeMap<>(result.failures()).entrySet()) {
            failures.add(row(failure.getKey().words, failure.getValue()));
        }
        page.html.element("h2", "Failures");
        table(page, "kind", count, failures);
    }

    private static void table(Page page, String name, String count, List<Page.Row> rows) {
        if (rows.isEmpty()) {
            page.html.element("p", "None.");
        } else {
            page.html.open("div", "class", "counts");
            page.table(List.of(name, count), rows);
            page.html.close();
        }
    }

    private static Page.Row row(String name, long count) {
        return new Page.Row("other", List.of(name, Units.count(count)));
    }
}

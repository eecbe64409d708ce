// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.hold.HoldResult;
import java.util.Map;

/** A {@link HoldResult} as one HTML file, which loads nothing. Any thread. */
final class HoldPage {
    private HoldPage() {}

    /**
     * The file's text, in UTF-8 when it is written.
     *
     * @param title what was asked for, such as the URL
     * @param command the command line that does it again
     */
    static String of(String title, String command, HoldResult result) {
        var page = new Page("Sirocco bench hold: " + title);
        page.html.element("h1", title);
        page.html.element("pre", command);
        tiles(page.html, result);
        page.html.element("pre", HoldTable.of(result));
        Map<String, Markup> charts = HoldCharts.of(result, false);
        page.charts(charts.values().toArray(new Markup[0]));
        return page.done();
    }

    private static void tiles(Markup html, HoldResult result) {
        html.open("div", "class", "tiles");
        tile(html, Units.count(result.alive()), "connections alive at the end");
        tile(html, Units.count(result.counts().lost()), "lost");
        tile(html, Units.count(result.counts().wrong()), "wrong answers");
        tile(html, Units.count(result.rate()) + "/s", "of " + expected(result) + "/s expected");
        tile(html, Units.time(result.holding().p50()), "p50");
        tile(html, Units.time(result.holding().p99()), "p99");
        tile(html, Units.time(result.holding().max()), "slowest");
        result.server()
                .ifPresent(
                        cost -> {
                            cost.heapGrowth()
                                    .ifPresent(heap -> tile(html, each(result, heap), "live heap"));
                            tile(html, each(result, cost.rss() - cost.rssBefore()), "RSS");
                        });
        html.close();
    }

    private static String expected(HoldResult result) {
        return Units.count(result.expectedRate());
    }

    private static String each(HoldResult result, long bytes) {
        return Units.count(result.perConnection(bytes)) + " B each";
    }

    private static void tile(Markup html, String figure, String words) {
        html.open("div", "class", "tile").element("b", figure).element("span", words).close();
    }
}

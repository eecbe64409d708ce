// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.List;

/**
 * One HTML file that needs nothing else: its style is inside, there is no script. It is XML as
 * well. Not for several threads at once.
 */
final class Page {
    final Markup html = new Markup();

    Page(String title) {
        html.open("html", "lang", "en").open("head").empty("meta", "charset", "utf-8");
        html.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
        html.empty("meta", "name", "color-scheme", "content", "light dark");
        html.element("title", title);
        html.style(Palette.sheet("page.css") + Palette.sheet("chart.css"));
        html.close().open("body").open("main");
    }

    /** A chart, or two of them beside each other. */
    Page charts(Markup... charts) {
        html.open("div", "class", "charts");
        for (Markup chart : charts) {
            html.open("figure").add(chart).close();
        }
        html.close();
        return this;
    }

    /** A table that scrolls within itself where it is wider than the screen. */
    Page table(List<String> head, List<Row> rows) {
        html.open("div", "class", "wide").open("table").open("thead").open("tr");
        head.forEach(cell -> html.element("th", cell, "scope", "col"));
        html.close().close().open("tbody");
        for (Row row : rows) {
            html.open("tr", "class", row.style());
            html.element("th", row.cells().getFirst(), "scope", "row");
            row.cells().stream().skip(1).forEach(cell -> html.element("td", cell));
            html.close();
        }
        html.close().close().close();
        return this;
    }

    /** A row of a table; its first cell is its name. */
    record Row(String style, List<String> cells) {}

    @Override
    public String toString() {
        return "<!DOCTYPE html>\n" + html + "\n";
    }

    String done() {
        html.close().close().close();
        return toString();
    }
}

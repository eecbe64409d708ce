// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

/**
 * The frame of a chart: an SVG element that takes the width of what holds it, with its title.
 * Inside it lengths are in units of which there are {@link #WIDTH} from left to right; few enough
 * for its letters to be read on a phone. Not for several threads at once.
 */
final class Plot {
    static final double WIDTH = 420;

    /** Height of letters. */
    static final double LETTER = 12;

    final Markup svg = new Markup();

    /**
     * @param heading what it is about, when it stands alone in a file; empty within a page
     * @param title what is drawn
     */
    Plot(String heading, String title, double height) {
        boolean alone = !heading.isEmpty();
        double top = alone ? 18 : 0;
        String box = "0 " + Markup.number(-top) + " " + Markup.number(WIDTH) + " ";
        if (alone) {
            svg.open(
                    "svg",
                    "xmlns",
                    "http://www.w3.org/2000/svg",
                    "class",
                    "chart alone",
                    "viewBox",
                    box + Markup.number(height + top),
                    "role",
                    "img",
                    "aria-label",
                    heading + ": " + title);
            svg.comment("SPDX-License-Identifier: Apache-2.0");
            svg.style(Palette.sheet("chart.css"));
            svg.empty(
                    "rect",
                    "class",
                    "paper",
                    "y",
                    Markup.number(-top),
                    "width",
                    "100%",
                    "height",
                    "100%");
            text("heading", 6, -2, "start", Labels.fit(heading, WIDTH - 12, 13));
        } else {
            svg.open(
                    "svg",
                    "class",
                    "chart",
                    "viewBox",
                    box + Markup.number(height + top),
                    "role",
                    "img",
                    "aria-label",
                    title);
        }
        text("title", 6, 14, "start", Labels.fit(title, WIDTH - 12, LETTER));
    }

    /** The heading of a chart of a work, when it stands {@code alone}. */
    static String heading(Verdict verdict, boolean alone) {
        return alone ? verdict.work().name() + ": " + verdict.work().title() : "";
    }

    Plot text(String style, double x, double y, String anchor, String text) {
        svg.element(
                "text",
                text,
                "class",
                style,
                "x",
                Markup.number(x),
                "y",
                Markup.number(y),
                "text-anchor",
                anchor);
        return this;
    }

    Plot line(String style, double x1, double y1, double x2, double y2) {
        svg.empty("path", "class", style, "d", "M" + point(x1, y1) + "L" + point(x2, y2));
        return this;
    }

    static String point(double x, double y) {
        return Markup.number(x) + " " + Markup.number(y);
    }

    Markup done() {
        return svg.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.List;
import java.util.stream.Collectors;

/** Text of others in Markdown: it is shown as it is, and neither ends a cell nor begins a tag. */
final class Markdown {
    private Markdown() {}

    static String escape(String text) {
        var out = new StringBuilder();
        text.codePoints()
                .forEach(
                        c -> {
                            switch (c) {
                                case '&', '<', '>', '|', '[', ']', '`', '*', '\\' ->
                                        out.append("&#").append(c).append(';');
                                default -> out.appendCodePoint(c < ' ' ? ' ' : c);
                            }
                        });
        return out.toString();
    }

    /** A line of a table. */
    static String row(List<String> cells) {
        return cells.stream()
                .map(Markdown::escape)
                .collect(Collectors.joining(" | ", "| ", " |\n"));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows of text in columns, two blanks between them: the first column to the left, the others, which
 * are figures, to the right. Not for several threads at once.
 */
final class TextTable {
    /** Columns that a terminal is expected to have. */
    static final int WIDTH = 110;

    /** A longer name of a row is cut. */
    static final int NAME = 16;

    private final List<List<String>> rows = new ArrayList<>();

    TextTable row(String name, String... figures) {
        var row = new ArrayList<String>();
        row.add(name.length() <= NAME ? name : name.substring(0, NAME - 1) + "…");
        row.addAll(List.of(figures));
        rows.add(row);
        return this;
    }

    /**
     * Each row is a line that ends with a line feed and without blanks; {@code indent} is before
     * it.
     */
    String text(String indent) {
        var text = new StringBuilder();
        for (List<String> row : rows) {
            var line = new StringBuilder(indent);
            for (int i = 0; i < row.size(); i++) {
                String blanks = " ".repeat(width(i) - row.get(i).length());
                line.append(i == 0 ? row.get(i) + blanks : "  " + blanks + row.get(i));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    /** Words in lines of at most {@link #WIDTH} columns, {@code indent} before each. */
    static String paragraph(String words, String indent) {
        var text = new StringBuilder();
        var line = new StringBuilder(indent);
        for (String word : words.split("\\s+")) {
            if (line.length() + 1 + word.length() > WIDTH && line.length() > indent.length()) {
                text.append(line).append('\n');
                line = new StringBuilder(indent);
            }
            line.append(line.length() > indent.length() ? " " : "").append(word);
        }
        return text.append(line).append('\n').toString();
    }

    private int width(int column) {
        return rows.stream()
                .filter(row -> column < row.size())
                .mapToInt(row -> row.get(column).length())
                .max()
                .orElse(0);
    }
}

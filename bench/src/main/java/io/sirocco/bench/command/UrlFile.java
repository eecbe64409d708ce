// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.bench.Load;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of URLs, one per line, all of one server. A number in front of a URL is its weight; an
 * empty line, or one that begins with {@code #}, is nothing. Immutable.
 *
 * @param order at random by weight if one line has a weight, else in turn
 */
record UrlFile(List<Entry> entries, Load.Order order) {
    private static final int MAX = 100_000;
    private static final Pattern WEIGHT = Pattern.compile("0*[1-9][0-9]{0,5}");
    private static final Pattern WEIGHTED = Pattern.compile("([0-9]+)\\s+(\\S.*)");

    /** One line of it. */
    record Entry(Site site, int weight) {}

    /**
     * @throws IllegalArgumentException when it cannot be read, or a line is wrong: which one, and
     *     why
     */
    static UrlFile read(Path file) {
        var entries = new ArrayList<Entry>();
        var order = Load.Order.ROUND_ROBIN;
        List<String> lines = lines(file);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            Matcher weighted = WEIGHTED.matcher(line);
            boolean hasWeight = weighted.matches();
            if (hasWeight) {
                order = Load.Order.WEIGHTED;
            }
            try {
                int weight = hasWeight ? weight(weighted.group(1)) : 1;
                Site site = Site.of(hasWeight ? weighted.group(2) : line);
                entries.add(checked(new Entry(site, weight), entries));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(file + ":" + (i + 1) + ": " + e.getMessage());
            }
        }
        if (entries.isEmpty() || entries.size() > MAX) {
            throw new IllegalArgumentException(
                    "%s has %,d URLs; it should have 1 to %,d"
                            .formatted(file, entries.size(), MAX));
        }
        return new UrlFile(List.copyOf(entries), order);
    }

    private static int weight(String digits) {
        if (!WEIGHT.matcher(digits).matches()) {
            throw new IllegalArgumentException("a weight is from 1 to 999,999, not " + digits);
        }
        return Integer.parseInt(digits);
    }

    private static Entry checked(Entry entry, List<Entry> before) {
        if (!before.isEmpty() && !before.getFirst().site.address().equals(entry.site.address())) {
            throw new IllegalArgumentException(
                    "all URLs must be of one server, and the first is of "
                            + before.getFirst().site.host());
        }
        return entry;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException("there is no file " + file);
        } catch (MalformedInputException e) {
            throw new IllegalArgumentException(file + " is not UTF-8 text");
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read " + file + ": " + e.getMessage());
        }
    }
}

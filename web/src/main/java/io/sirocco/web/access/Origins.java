// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Origins as browsers write them (RFC 6454 6.2): scheme, host in lower case, and the port unless it
 * is the usual one. Immutable.
 */
record Origins(boolean all, Set<String> exact, List<Below> patterns) {
    private static final Pattern ORIGIN =
            Pattern.compile(
                    "([a-z][a-z0-9+.-]*)://(\\*\\.)?([a-z0-9._-]+|\\[[0-9a-f:.]+])(:\\d{1,5})?");
    private static final Pattern LABELS = Pattern.compile("[a-z0-9_-]+(\\.[a-z0-9_-]+)*");

    /** All hosts below one: {@code https://}, something, {@code .example.org}. */
    private record Below(String before, String behind) {
        boolean contains(String origin) {
            return origin.startsWith(before)
                    && origin.endsWith(behind)
                    && origin.length() > before.length() + behind.length()
                    && LABELS.matcher(origin)
                            .region(before.length(), origin.length() - behind.length())
                            .matches();
        }
    }

    /**
     * Reads a list.
     *
     * @throws IllegalArgumentException which says what is wrong with which, and what to write
     *     instead
     */
    static Origins of(List<String> texts) {
        if (texts.isEmpty()) {
            throw new IllegalArgumentException(
                    "origins is empty, so nobody is allowed anything; name one, or leave cors out.");
        }
        var exact = new HashSet<String>();
        var patterns = new ArrayList<Below>();
        for (String text : texts) {
            if (text.equals("*")) {
                continue;
            }
            Matcher m = ORIGIN.matcher(text);
            if (!m.matches()) {
                throw bad(text, "is no origin");
            }
            String port = m.group(4) == null ? "" : m.group(4);
            if (m.group(1).equals("https") && port.equals(":443")
                    || m.group(1).equals("http") && port.equals(":80")) {
                throw bad(text, "has the usual port, which browsers leave out");
            }
            if (m.group(2) == null) {
                exact.add(text);
            } else {
                patterns.add(new Below(m.group(1) + "://", "." + m.group(3) + port));
            }
        }
        return new Origins(texts.contains("*"), Set.copyOf(exact), List.copyOf(patterns));
    }

    private static IllegalArgumentException bad(String text, String what) {
        return new IllegalArgumentException(
                "\""
                        + text
                        + "\" "
                        + what
                        + "; write scheme and host in lower case and the port if it is unusual, such"
                        + " as \"https://app.example.org\" or \"http://localhost:3000\","
                        + " \"https://*.example.org\" for all below it, or \"*\" for all.");
    }

    /** Returns whether an origin is among them, if not all are. */
    boolean contains(String origin) {
        if (exact.contains(origin)) {
            return true;
        }
        for (Below pattern : patterns) {
            if (pattern.contains(origin)) {
                return true;
            }
        }
        return false;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

/** A text in which * stands for any text. Matched in linear time. Immutable. */
record Glob(String[] parts) {

    static Glob of(String text) {
        return new Glob(text.split("\\*", -1));
    }

    boolean matches(String text) {
        String first = parts[0];
        if (parts.length == 1) {
            return text.equals(first);
        }
        String last = parts[parts.length - 1];
        if (text.length() < first.length() + last.length()
                || !text.startsWith(first)
                || !text.endsWith(last)) {
            return false;
        }
        int at = first.length();
        for (int i = 1; i < parts.length - 1; i++) {
            int found = text.indexOf(parts[i], at);
            if (found < 0) {
                return false;
            }
            at = found + parts[i].length();
        }
        return at <= text.length() - last.length();
    }
}

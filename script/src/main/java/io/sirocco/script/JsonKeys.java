// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import java.util.Arrays;

/**
 * Finds objects of JSON (RFC 8259) with many names of one {@link String#hashCode hash}: the engine
 * looks for a name among all that have its hash, and cannot be interrupted while it parses. One
 * pass over the text, without recursion, in a memory of at most 4 bytes for each name and object
 * that is open. Of one thread.
 */
final class JsonKeys {
    private final String text;
    private int at;
    private int hash; // of the string that was read last
    private int[] hashes = new int[64]; // of the names of all objects that are open
    private int names;
    private int[] starts = new int[16]; // of each open object, in hashes
    private int objects;

    private JsonKeys(String text) {
        this.text = text;
    }

    /**
     * Returns whether an object has more than {@code most} names of one hash. Of a text that is no
     * JSON, it looks at what stands before the error, at least.
     */
    static boolean collide(String text, int most) {
        return new JsonKeys(text).collide(most);
    }

    private boolean collide(int most) {
        boolean afterString = false;
        while (at < text.length()) {
            char c = text.charAt(at++);
            switch (c) {
                case '"' -> {
                    string();
                    afterString = true;
                    continue;
                }
                case ' ', '\t', '\r', '\n' -> {
                    continue;
                }
                case ':' -> {
                    if (afterString && objects > 0) {
                        hashes = with(hashes, names++, hash);
                    }
                }
                case '{' -> starts = with(starts, objects++, names);
                case '}' -> {
                    if (objects > 0 && closes(most)) {
                        return true;
                    }
                }
                default -> {}
            }
            afterString = false;
        }
        while (objects > 0) { // those that do not end
            if (closes(most)) {
                return true;
            }
        }
        return false;
    }

    private static int[] with(int[] array, int index, int value) {
        int[] known = index < array.length ? array : Arrays.copyOf(array, 2 * index);
        known[index] = value;
        return known;
    }

    /** Ends the innermost object; returns whether it has too many names of one hash. */
    private boolean closes(int most) {
        int from = starts[--objects];
        int to = names;
        names = from;
        if (to - from <= most) {
            return false;
        }
        Arrays.sort(hashes, from, to);
        for (int i = from + most; i < to; i++) {
            if (hashes[i] == hashes[i - most]) {
                return true;
            }
        }
        return false;
    }

    private void string() {
        hash = 0;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') {
                return;
            }
            hash = 31 * hash + (c == '\\' ? escaped() : c);
        }
    }

    private char escaped() {
        char c = at < text.length() ? text.charAt(at++) : '"';
        return switch (c) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                int code = 0;
                for (int i = 0; i < 4 && at < text.length(); i++) {
                    code = code << 4 | Math.max(0, Character.digit(text.charAt(at++), 16));
                }
                yield (char) code;
            }
            default -> c;
        };
    }
}

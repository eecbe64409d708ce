// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import java.util.function.LongConsumer;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * Matches a pattern of Lua 5.2 (reference manual, 6.4.1) and counts its steps, so that a pattern
 * that backtracks for ever exceeds the limits of its task like an endless loop. LuaJ's own matcher
 * runs without instructions, where nothing could end it. Used by one thread, that of the scripts.
 */
final class PatternMatcher {
    private static final int MAX_CAPTURES = 32;
    private static final int MAX_DEPTH = 200;
    private static final int STEPS = 256;
    private static final int FAIL = -1;
    private static final int POSITION = -2; // the length of a position capture
    private static final int OPEN = -1; // the length of a capture that has no end yet
    private static final byte ESCAPE = '%';

    private final LuaString source;
    private final LuaString pattern;
    private final int sourceEnd;
    private final int patternEnd;
    private final LongConsumer spend;
    private final int[] starts = new int[MAX_CAPTURES];
    private final int[] lengths = new int[MAX_CAPTURES];
    private int captures;
    private int depth;
    private int steps;

    /**
     * Creates a matcher.
     *
     * @param spend is called with a number of steps now and then; it throws to end the match
     */
    PatternMatcher(LuaString source, LuaString pattern, LongConsumer spend) {
        this.source = source;
        this.pattern = pattern;
        this.sourceEnd = source.length();
        this.patternEnd = pattern.length();
        this.spend = spend;
    }

    /** Returns where a match that begins at {@code from} ends, or -1. Positions count from 0. */
    int match(int from, int patternFrom) {
        captures = 0;
        depth = 0;
        return matchHere(from, patternFrom);
    }

    /** Returns the captures of the last match, or the whole match if the pattern has none. */
    Varargs captures(int from, int end, boolean wholeIfNone) {
        int count = captures == 0 && wholeIfNone ? 1 : captures;
        LuaValue[] values = new LuaValue[count];
        for (int i = 0; i < count; i++) {
            values[i] = capture(i, from, end);
        }
        return LuaValue.varargsOf(values);
    }

    /** Returns a capture, counted from 0; number 0 is the whole match if the pattern has none. */
    LuaValue capture(int index, int from, int end) {
        if (index >= captures) {
            if (index == 0) {
                return source.substring(from, end);
            }
            throw new LuaError("invalid capture index %" + (index + 1));
        }
        int length = lengths[index];
        if (length == OPEN) {
            throw new LuaError("unfinished capture");
        }
        return length == POSITION
                ? LuaValue.valueOf(starts[index] + 1)
                : source.substring(starts[index], starts[index] + length);
    }

    /** Returns the whole match. */
    LuaString whole(int from, int end) {
        return source.substring(from, end);
    }

    private void step() {
        if (++steps == STEPS) {
            steps = 0;
            spend.accept(STEPS);
        }
    }

    private int at(int index) {
        return source.luaByte(index);
    }

    private int pat(int index) {
        return pattern.luaByte(index);
    }

    private int matchHere(int from, int patternFrom) {
        if (++depth > MAX_DEPTH) {
            throw new LuaError("pattern too complex");
        }
        try {
            return matchItems(from, patternFrom);
        } finally {
            depth--;
        }
    }

    /** Matches one item after the other; only an item with alternatives recurses. */
    private int matchItems(int from, int patternFrom) {
        int s = from;
        int p = patternFrom;
        while (p < patternEnd) {
            step();
            int c = pat(p);
            if (c == '(') {
                boolean position = p + 1 < patternEnd && pat(p + 1) == ')';
                return position ? open(s, p + 2, POSITION) : open(s, p + 1, OPEN);
            }
            if (c == ')') {
                return close(s, p + 1);
            }
            if (c == '$' && p + 1 == patternEnd) {
                return s == sourceEnd ? s : FAIL;
            }
            if (c == ESCAPE && p + 1 < patternEnd) {
                int next = pat(p + 1);
                if (next == 'b') {
                    s = balanced(s, p + 2);
                    p += 4;
                    if (s == FAIL) {
                        return FAIL;
                    }
                    continue;
                }
                if (next == 'f') {
                    int set = p + 2;
                    if (set >= patternEnd || pat(set) != '[') {
                        throw new LuaError("missing '[' after '%f' in pattern");
                    }
                    int end = itemEnd(set);
                    int before = s == 0 ? 0 : at(s - 1);
                    int after = s < sourceEnd ? at(s) : 0;
                    if (inSet(before, set, end - 1) || !inSet(after, set, end - 1)) {
                        return FAIL;
                    }
                    p = end;
                    continue;
                }
                if (next >= '0' && next <= '9') {
                    s = again(s, next);
                    p += 2;
                    if (s == FAIL) {
                        return FAIL;
                    }
                    continue;
                }
            }
            int end = itemEnd(p);
            int suffix = end < patternEnd ? pat(end) : 0;
            boolean fits = s < sourceEnd && single(s, p, end);
            switch (suffix) {
                case '?' -> {
                    if (fits) {
                        int result = matchHere(s + 1, end + 1);
                        if (result != FAIL) {
                            return result;
                        }
                    }
                    p = end + 1;
                }
                case '+' -> {
                    return fits ? longest(s + 1, p, end) : FAIL;
                }
                case '*' -> {
                    return longest(s, p, end);
                }
                case '-' -> {
                    return shortest(s, p, end);
                }
                default -> {
                    if (!fits) {
                        return FAIL;
                    }
                    s++;
                    p = end;
                }
            }
        }
        return s;
    }

    private int longest(int from, int item, int end) {
        int count = 0;
        while (from + count < sourceEnd && single(from + count, item, end)) {
            count++;
            step();
        }
        for (; count >= 0; count--) {
            step();
            int result = matchHere(from + count, end + 1);
            if (result != FAIL) {
                return result;
            }
        }
        return FAIL;
    }

    private int shortest(int from, int item, int end) {
        for (int s = from; ; s++) {
            step();
            int result = matchHere(s, end + 1);
            if (result != FAIL) {
                return result;
            }
            if (s >= sourceEnd || !single(s, item, end)) {
                return FAIL;
            }
        }
    }

    private int open(int s, int p, int length) {
        if (captures == MAX_CAPTURES) {
            throw new LuaError("too many captures");
        }
        starts[captures] = s;
        lengths[captures] = length;
        captures++;
        int result = matchHere(s, p);
        if (result == FAIL) {
            captures--;
        }
        return result;
    }

    private int close(int s, int p) {
        for (int i = captures - 1; i >= 0; i--) {
            if (lengths[i] == OPEN) {
                lengths[i] = s - starts[i];
                int result = matchHere(s, p);
                if (result == FAIL) {
                    lengths[i] = OPEN;
                }
                return result;
            }
        }
        throw new LuaError("invalid pattern capture");
    }

    /** Matches {@code %bxy}. */
    private int balanced(int s, int p) {
        if (p + 1 >= patternEnd) {
            throw new LuaError("missing arguments to '%b' in pattern");
        }
        if (s >= sourceEnd || at(s) != pat(p)) {
            return FAIL;
        }
        int level = 1;
        for (int i = s + 1; i < sourceEnd; i++) {
            step();
            if (at(i) == pat(p + 1)) {
                if (--level == 0) {
                    return i + 1;
                }
            } else if (at(i) == pat(p)) {
                level++;
            }
        }
        return FAIL;
    }

    /** Matches what an earlier capture has matched: {@code %1}. */
    private int again(int s, int digit) {
        int index = digit - '1';
        if (index < 0 || index >= captures || lengths[index] == OPEN) {
            throw new LuaError("invalid capture index %" + (index + 1) + " in pattern");
        }
        int length = Math.max(0, lengths[index]);
        if (sourceEnd - s < length) {
            return FAIL;
        }
        for (int i = 0; i < length; i++) {
            step();
            if (at(starts[index] + i) != at(s + i)) {
                return FAIL;
            }
        }
        return s + length;
    }

    /** Returns the index behind a single character class. */
    private int itemEnd(int p) {
        int c = pat(p);
        int next = p + 1;
        if (c == ESCAPE) {
            if (next >= patternEnd) {
                throw new LuaError("malformed pattern (ends with '%')");
            }
            return next + 1;
        }
        if (c != '[') {
            return next;
        }
        if (next < patternEnd && pat(next) == '^') {
            next++;
        }
        do { // the first ']' is a character of the set
            if (next >= patternEnd) {
                throw new LuaError("malformed pattern (missing ']')");
            }
            step();
            if (pat(next++) == ESCAPE) {
                next++;
            }
        } while (next >= patternEnd || pat(next) != ']');
        return next + 1;
    }

    private boolean single(int s, int p, int end) {
        int c = at(s);
        return switch (pat(p)) {
            case '.' -> true;
            case ESCAPE -> inClass(c, pat(p + 1));
            case '[' -> inSet(c, p, end - 1);
            default -> pat(p) == c;
        };
    }

    /** Returns whether a set contains a character; {@code last} is the index of its bracket. */
    private boolean inSet(int c, int first, int last) {
        int p = first + 1;
        boolean negated = pat(p) == '^';
        if (negated) {
            p++;
        }
        for (; p < last; p++) {
            step();
            if (pat(p) == ESCAPE) {
                p++;
                if (inClass(c, pat(p))) {
                    return !negated;
                }
            } else if (p + 2 < last && pat(p + 1) == '-') {
                if (pat(p) <= c && c <= pat(p + 2)) {
                    return !negated;
                }
                p += 2;
            } else if (pat(p) == c) {
                return !negated;
            }
        }
        return negated;
    }

    /** Returns whether a class such as {@code %a} contains a character, in the C locale. */
    private static boolean inClass(int c, int name) {
        boolean in =
                switch (name | 0x20) {
                    case 'a' -> isLetter(c);
                    case 'c' -> c < 0x20 || c == 0x7f;
                    case 'd' -> isDigit(c);
                    case 'g' -> c > 0x20 && c < 0x7f;
                    case 'l' -> c >= 'a' && c <= 'z';
                    case 'p' -> c > 0x20 && c < 0x7f && !isLetter(c) && !isDigit(c);
                    case 's' -> c == ' ' || (c >= '\t' && c <= '\r');
                    case 'u' -> c >= 'A' && c <= 'Z';
                    case 'w' -> isLetter(c) || isDigit(c);
                    case 'x' -> isDigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
                    case 'z' -> c == 0;
                    default -> false;
                };
        boolean isClass = isLetter(name) && "acdglpsuwxz".indexOf(name | 0x20) >= 0;
        if (!isClass) {
            return c == name;
        }
        return in == (name >= 'a');
    }

    private static boolean isLetter(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }
}

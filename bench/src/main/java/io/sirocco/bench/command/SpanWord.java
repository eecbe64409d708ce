// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.bench.hold.Span;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a range, or one value that is both of its ends. */
abstract sealed class SpanWord implements ITypeConverter<Span> {
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,15}");
    private final ToLongFunction<String> end;

    SpanWord(ToLongFunction<String> end) {
        this.end = end;
    }

    @Override
    public Span convert(String word) {
        String[] ends = word.split("-", 2);
        long from = end.applyAsLong(ends[0]);
        long to = end.applyAsLong(ends[ends.length - 1]);
        if (to < from) {
            throw new TypeConversionException("'" + word + "' ends before it begins");
        }
        return new Span(from, to);
    }

    /** {@code 10s-99s}, in milliseconds. */
    static final class Times extends SpanWord {
        Times() {
            super(word -> new TimeWord().convert(word).toMillis());
        }
    }

    /** {@code 1-10240}. */
    static final class Numbers extends SpanWord {
        Numbers() {
            super(Numbers::number);
        }

        private static long number(String word) {
            if (!NUMBER.matcher(word).matches()) {
                throw new TypeConversionException(
                        "'" + word + "' is not a number, nor a range such as 1-10240");
            }
            return Long.parseLong(word);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a time as people write it: {@code 500ms}, {@code 10s}, {@code 1.5m}, {@code 2h}. Any
 * thread.
 */
public final class TimeWord implements ITypeConverter<Duration> {
    private static final Pattern TIME = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,3})?)(ms|s|m|h)");

    @Override
    public Duration convert(String word) {
        Matcher time = TIME.matcher(word);
        if (!time.matches()) {
            throw new TypeConversionException(
                    "'" + word + "' is not a time such as 500ms, 10s, 2m or 1h");
        }
        double unit =
                switch (time.group(2)) {
                    case "ms" -> 1e6;
                    case "s" -> 1e9;
                    case "m" -> 60e9;
                    default -> 3600e9;
                };
        return Duration.ofNanos((long) (Double.parseDouble(time.group(1)) * unit));
    }
}

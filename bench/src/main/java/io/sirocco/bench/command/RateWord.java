// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads how many per second: {@code 5000/s}, or {@code 5000}. */
final class RateWord implements ITypeConverter<Double> {
    private static final Pattern RATE = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,3})?)(?:/s)?");

    @Override
    public Double convert(String word) {
        Matcher rate = RATE.matcher(word);
        if (!rate.matches()) {
            throw new TypeConversionException("'" + word + "' is not a rate such as 5000/s");
        }
        return Double.parseDouble(rate.group(1));
    }
}

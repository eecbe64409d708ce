// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.net.TransportKind;
import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a transport as the user writes it: in lower case. Any thread. */
public final class TransportWord implements ITypeConverter<TransportKind> {
    @Override
    public TransportKind convert(String word) {
        for (TransportKind each : TransportKind.values()) {
            if (each.label().equals(word)) return each;
        }
        String known =
                Arrays.stream(TransportKind.values())
                        .map(TransportKind::label)
                        .collect(Collectors.joining(", "));
        throw new TypeConversionException("'" + word + "' is none of " + known);
    }
}

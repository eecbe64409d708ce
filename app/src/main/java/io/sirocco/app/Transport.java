// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How the loops talk to the kernel. Written in lower case on the command line. */
enum Transport {
    /** io_uring where the kernel and the container allow it, otherwise NIO. */
    AUTO,
    IO_URING,
    NIO;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Reads a name as the user wrote it. */
    static final class Converter implements ITypeConverter<Transport> {
        @Override
        public Transport convert(String word) {
            for (Transport each : values()) {
                if (each.toString().equals(word)) return each;
            }
            String known =
                    Arrays.stream(values())
                            .map(Transport::toString)
                            .collect(Collectors.joining(", "));
            throw new TypeConversionException("'" + word + "' is none of " + known);
        }
    }
}

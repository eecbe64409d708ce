// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Addresses of our own to connect from. Immutable. */
record Sources(List<InetAddress> addresses) {
    private static final int MAX = 65_536;
    static final Sources ANY = new Sources(List.of());

    /**
     * Reads one, or the first and the last of several IPv4 ones in a row, as in {@code
     * 127.0.0.2-127.0.0.50}.
     */
    static final class Word implements ITypeConverter<Sources> {

        @Override
        public Sources convert(String word) {
            int dash = word.indexOf('-');
            if (dash < 0) {
                return new Sources(List.of(literal(word)));
            }
            if (dash == 0 || dash == word.length() - 1) {
                throw new TypeConversionException("'" + word + "' is not of the form FROM-TO");
            }
            long first = number(word.substring(0, dash));
            long last = number(word.substring(dash + 1));
            if (last < first || last - first >= MAX) {
                throw new TypeConversionException(
                        "'%s' is not a range of 1 to %,d addresses".formatted(word, MAX));
            }
            var addresses = new ArrayList<InetAddress>();
            for (long number = first; number <= last; number++) {
                addresses.add(address(number));
            }
            return new Sources(List.copyOf(addresses));
        }
    }

    private static InetAddress literal(String word) {
        try {
            return InetAddress.ofLiteral(word);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'" + word + "' is not an IP address");
        }
    }

    private static long number(String word) {
        byte[] bytes = literal(word).getAddress();
        if (bytes.length != 4) {
            throw new TypeConversionException(
                    "a range is of IPv4 addresses, not of '" + word + "'");
        }
        long number = 0;
        for (byte each : bytes) {
            number = number << 8 | each & 0xff;
        }
        return number;
    }

    private static InetAddress address(long number) {
        var bytes =
                new byte[] {
                    (byte) (number >> 24),
                    (byte) (number >> 16),
                    (byte) (number >> 8),
                    (byte) number
                };
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // four bytes are always an address
        }
    }
}

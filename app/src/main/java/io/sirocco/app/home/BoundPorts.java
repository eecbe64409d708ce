// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import java.io.IOException;
import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * The UDP sockets of this machine. Controllers share ports for broadcasts, so that several
 * addresses of one machine can have one each, and the system lets two have the same address, too:
 * the later one would get all datagrams. Any thread.
 */
final class BoundPorts {
    private static final Path UDP = Path.of("/proc/net/udp");

    private BoundPorts() {}

    /**
     * Returns unless another socket is bound to the address. Where the system does not tell, as on
     * others than Linux, it returns.
     *
     * @throws IOException if one is; the message says what to do
     */
    static void requireFree(Inet4Address address, int port) throws IOException {
        if (port != 0 && isBound(address, port)) {
            throw new IOException(
                    "the UDP port "
                            + port
                            + " of "
                            + address.getHostAddress()
                            + " is in use, probably by another controller; end it, or choose"
                            + " another port by --port");
        }
    }

    private static boolean isBound(Inet4Address address, int port) {
        List<String> lines;
        try {
            lines = Files.readAllLines(UDP);
        } catch (IOException e) {
            return false;
        }
        int number = ByteBuffer.wrap(address.getAddress()).order(ByteOrder.nativeOrder()).getInt();
        String local = String.format(Locale.ROOT, "%08X:%04X", number, port);
        return lines.stream()
                .map(line -> line.strip().split("\\s+"))
                .anyMatch(fields -> fields.length > 1 && fields[1].equals(local));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports on loopback, below those that Linux takes for outgoing connections: so none of the
 * race's own connections can take one before its server does, and a connection to a port where
 * nobody listens yet cannot meet itself.
 */
final class Ports {
    private static final int FROM = 12_000;
    private static final int TO = 32_000;

    private Ports() {}

    /**
     * So many ports, all different.
     *
     * @throws IOException when there are not so many
     */
    static List<Integer> free(int count) throws IOException {
        var found = new ArrayList<Integer>();
        int start = ThreadLocalRandom.current().nextInt(FROM, TO);
        for (int i = 0; i < TO - FROM && found.size() < count; i++) {
            int port = FROM + (start - FROM + i) % (TO - FROM);
            if (isFree(port)) {
                found.add(port);
            }
        }
        if (found.size() < count) {
            throw new IOException("no free port from %d to %d".formatted(FROM, TO));
        }
        return found;
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(false);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}

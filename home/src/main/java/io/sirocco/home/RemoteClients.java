// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.protocol.CipherKey;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Clients of the other controllers of the project, one for each address. They have the project key
 * of this controller: when that changes, they are opened anew. Any thread; may block for a moment.
 */
final class RemoteClients implements AutoCloseable {
    private final Loops loops;
    private final Inet4Address local;
    private final int port;
    private final Duration timeout;
    private final Supplier<CipherKey> projectKey;
    private final Map<Inet4Address, CluClient> clients = new HashMap<>();
    private CipherKey key; // of the clients
    private boolean closed;

    RemoteClients(
            Loops loops,
            Inet4Address local,
            int port,
            Duration timeout,
            Supplier<CipherKey> projectKey) {
        this.loops = loops;
        this.local = local;
        this.port = port;
        this.timeout = timeout;
        this.projectKey = projectKey;
    }

    /** Returns the client of a controller. */
    synchronized CluClient client(Inet4Address controller) throws IOException {
        if (closed) {
            throw new IOException("the controller has ended");
        }
        CipherKey current = projectKey.get();
        if (!current.equals(key)) {
            closeAll();
            key = current;
        }
        CluClient client = clients.get(controller);
        if (client == null) {
            client =
                    CluClient.open(
                            loops, local, new InetSocketAddress(controller, port), key, timeout);
            clients.put(controller, client);
        }
        return client;
    }

    private void closeAll() {
        clients.values().forEach(CluClient::close);
        clients.clear();
    }

    @Override
    public synchronized void close() {
        closed = true;
        closeAll();
    }
}

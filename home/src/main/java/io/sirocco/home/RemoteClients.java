// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.mqtt.Mqtt;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.net.Loops;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Clients of the other controllers of the project, one for each address. They have the project key
 * of this controller: when that changes, they are opened anew, and register again for the reports
 * that are wanted. Any thread; may block for a moment.
 */
final class RemoteClients implements AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(Clu.class);

    private final Loops loops;
    private final Inet4Address local;
    private final int port;
    private final Duration timeout;
    private final Supplier<CipherKey> projectKey;
    private final Map<Inet4Address, CluClient> clients = new HashMap<>();
    private final List<Reports> wanted = new ArrayList<>();
    private CipherKey key; // of the clients
    private boolean closed;

    /** Reports that are wanted from a controller, whichever client has registered for them. */
    private final class Reports {
        private final Inet4Address controller;
        private final String features;
        private final Consumer<String> received;
        private CluClient.Registration registration; // null while there is no client
        private String endOfLast; // the script that ends the registration before; null without

        Reports(Inet4Address controller, String features, Consumer<String> received) {
            this.controller = controller;
            this.features = features;
            this.received = received;
        }

        void register(CluClient client) {
            if (endOfLast != null) { // or it would take a place of other clients there
                client.execute(endOfLast);
                endOfLast = null;
            }
            if (registration == null) {
                registration = client.register(features, received);
            }
        }

        void clientIsGone() {
            if (registration != null) {
                endOfLast = registration.end();
                registration = null;
            }
        }
    }

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
            for (Reports each : wanted) {
                if (each.controller.equals(controller)) {
                    each.register(client);
                }
            }
        }
        return client;
    }

    /**
     * Has a controller report features once a second, also after a new project key. If no client
     * can be opened now, the next call of {@link #client} registers.
     *
     * @param features a table of Lua: {@code {{DIM1,0},{DIM2,0}}}
     * @param received receives the text of each report, {@code {0.5, 1}}, on the event loop
     */
    synchronized Mqtt.Subscription register(
            Inet4Address controller, String features, Consumer<String> received) {
        var reports = new Reports(controller, features, received);
        wanted.add(reports);
        open(controller).ifPresent(reports::register);
        return () -> cancel(reports);
    }

    private synchronized void cancel(Reports reports) {
        wanted.remove(reports);
        if (reports.registration != null) {
            reports.registration.close();
        }
    }

    /** Registers again after a new project key: no report comes under the old one. */
    synchronized void keyChanged() {
        if (!closed) {
            wanted.stream().map(each -> each.controller).distinct().forEach(this::open);
        }
    }

    private Optional<CluClient> open(Inet4Address controller) {
        try {
            return Optional.of(client(controller));
        } catch (IOException e) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "{0} cannot be asked for reports now: {1}",
                            controller.getHostAddress(),
                            e.getMessage());
            return Optional.empty();
        }
    }

    private void closeAll() {
        wanted.forEach(Reports::clientIsGone);
        clients.values().forEach(CluClient::close);
        clients.clear();
    }

    @Override
    public synchronized void close() {
        closed = true;
        closeAll();
    }
}

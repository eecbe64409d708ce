// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.mqtt.Mqtt;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.net.Loops;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Clients of the other controllers of the project, one for each address. They have the project key
 * of this controller: when that changes, they are opened anew, and register again for the reports
 * that are wanted. Up to {@value #MAX} are open; a further one takes the place of the one that was
 * used longest ago, if nothing waits for that.
 *
 * <p>Any thread. Methods that open or close a client wait for the event loop, and hold no monitor
 * while they do.
 */
final class RemoteClients implements AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(Clu.class);

    static final int MAX = 64;

    private final Loops loops;
    private final Inet4Address local;
    private final int port;
    private final Duration timeout;
    private final Supplier<CipherKey> projectKey;
    private final AtomicInteger forwarded = new AtomicInteger();
    private final LinkedHashMap<Inet4Address, Open> clients =
            new LinkedHashMap<>(16, 0.75f, true); // the one used longest ago first
    private final List<Reports> wanted = new ArrayList<>();
    private CipherKey key; // of the clients
    private boolean closed;

    private record Open(CluClient client, long used) {}

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

    /**
     * Returns the client of a controller, which it opens if there is none. Sockets are opened and
     * closed outside of the monitor: both wait for the event loop, which may be waiting for the
     * monitor. Of two threads that open a client of the same controller, one closes it again.
     *
     * @throws IOException if no socket can be bound, or too many controllers are in use
     */
    CluClient client(Inet4Address controller) throws IOException {
        List<CluClient> unused = new ArrayList<>();
        try {
            while (true) {
                CipherKey current;
                synchronized (this) {
                    current = useKey(unused);
                    Optional<CluClient> open = find(controller);
                    if (open.isPresent()) {
                        return open.get();
                    }
                    makeRoom(unused);
                }
                CluClient opened =
                        CluClient.open(
                                loops,
                                local,
                                new InetSocketAddress(controller, port),
                                current,
                                timeout);
                synchronized (this) {
                    unused.add(opened); // unless it is added
                    if (useKey(unused).equals(current)) {
                        Optional<CluClient> open = find(controller);
                        if (open.isPresent()) {
                            return open.get();
                        }
                        makeRoom(unused);
                        unused.remove(opened);
                        add(controller, opened);
                        return opened;
                    }
                }
            }
        } finally {
            unused.forEach(CluClient::close);
        }
    }

    // Under the monitor

    /** Returns the project key. When it is another than before, no client has it. */
    private CipherKey useKey(List<CluClient> unused) throws IOException {
        if (closed) {
            throw new IOException("the controller has ended");
        }
        CipherKey current = projectKey.get();
        if (!current.equals(key)) {
            removeAll(unused);
            key = current;
        }
        return current;
    }

    private Optional<CluClient> find(Inet4Address controller) {
        Open open = clients.get(controller);
        if (open == null) {
            return Optional.empty();
        }
        clients.put(controller, new Open(open.client, System.nanoTime()));
        return Optional.of(open.client);
    }

    private void add(Inet4Address controller, CluClient client) {
        clients.put(controller, new Open(client, System.nanoTime()));
        for (Reports each : wanted) {
            if (each.controller.equals(controller)) {
                each.register(client);
            }
        }
    }

    private void makeRoom(List<CluClient> unused) throws IOException {
        if (clients.size() < MAX) {
            return;
        }
        long now = System.nanoTime();
        for (Map.Entry<Inet4Address, Open> each : clients.entrySet()) {
            boolean idle = now - each.getValue().used > timeout.toNanos();
            boolean reports = wanted.stream().anyMatch(one -> one.controller.equals(each.getKey()));
            if (idle && !reports) {
                unused.add(each.getValue().client);
                clients.remove(each.getKey());
                return;
            }
        }
        throw new IOException(
                MAX + " other controllers are in use; one more can be called when one is idle");
    }

    private void removeAll(List<CluClient> unused) {
        wanted.forEach(Reports::clientIsGone);
        clients.values().forEach(each -> unused.add(each.client));
        clients.clear();
    }

    // Any thread

    /** Returns whether an address is that of a controller that was called. */
    synchronized boolean isController(InetAddress address) {
        return address instanceof Inet4Address && clients.containsKey(address);
    }

    /** Returns how many calls from controllers wait for controllers. */
    AtomicInteger forwarded() {
        return forwarded;
    }

    /**
     * Has a controller report features once a second, also after a new project key. If no client
     * can be opened now, the next call of {@link #client} registers.
     *
     * @param features a table of Lua: {@code {{DIM1,0},{DIM2,0}}}
     * @param received receives the text of each report, {@code {0.5, 1}}, on the event loop
     */
    Mqtt.Subscription register(
            Inet4Address controller, String features, Consumer<String> received) {
        var reports = new Reports(controller, features, received);
        synchronized (this) {
            wanted.add(reports); // a client that is opened from now on registers
            find(controller).ifPresent(reports::register);
        }
        open(controller);
        return () -> cancel(reports);
    }

    private synchronized void cancel(Reports reports) {
        wanted.remove(reports);
        if (reports.registration != null) {
            reports.registration.close();
        }
    }

    /** Registers again after a new project key: no report comes under the old one. */
    void keyChanged() {
        List<Inet4Address> controllers;
        synchronized (this) {
            controllers =
                    closed
                            ? List.of()
                            : wanted.stream().map(each -> each.controller).distinct().toList();
        }
        controllers.forEach(this::open);
    }

    private void open(Inet4Address controller) {
        try {
            client(controller);
        } catch (IOException e) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "{0} cannot be asked for reports now: {1}",
                            controller.getHostAddress(),
                            e.getMessage());
        }
    }

    @Override
    public void close() {
        List<CluClient> unused = new ArrayList<>();
        synchronized (this) {
            closed = true;
            removeAll(unused);
        }
        unused.forEach(CluClient::close);
    }
}

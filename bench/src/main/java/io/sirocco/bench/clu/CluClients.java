// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.clu;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.bench.Histograms;
import io.sirocco.net.Datagrams;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.HdrHistogram.Histogram;

/**
 * The clients of a load: each has a socket of its own, and one request under way. Loop-confined,
 * except for the constructor and {@link #close}.
 */
final class CluClients implements AutoCloseable {
    private final CluPlan plan;
    private final CluCodec codec;
    private final long timeout;
    private final List<Client> clients = new ArrayList<>();
    private boolean running;
    private boolean responded;
    private byte[] value; // the first seen, unless the plan says which
    private Histogram latency = Histograms.none();
    private long lost;
    private long wrong;

    /** Counts since the last call of {@link #take}. */
    record Counts(Histogram latency, long lost, long wrong) {}

    private final class Client {
        final Datagrams socket;
        int number;
        long sent;

        Client(Loops loops) throws IOException {
            InetAddress local =
                    plan.controller().getAddress().isLoopbackAddress()
                            ? plan.controller().getAddress()
                            : InetAddress.getByAddress(new byte[4]);
            socket = loops.datagrams(new InetSocketAddress(local, 0), this::received);
        }

        void send() {
            number = ThreadLocalRandom.current().nextInt();
            sent = System.nanoTime();
            try {
                socket.send(codec.sealed(), codec.seal(number), plan.controller());
            } catch (IOException e) {
                // counts as lost when its time is over
            }
        }

        private void received(Datagrams from, byte[] bytes, int length, InetSocketAddress peer) {
            if (sent == 0) {
                return; // the load has ended
            }
            byte[] answer = codec.open(bytes, length, number);
            if (answer == null) {
                wrong++;
                return; // the one that is awaited may still come
            }
            responded = true;
            if (value == null) {
                value = answer;
            }
            if (Arrays.equals(answer, value)) {
                Histograms.record(latency, System.nanoTime() - sent);
            } else {
                wrong++;
            }
            next();
        }

        private void next() {
            sent = 0;
            if (running) {
                send();
            }
        }
    }

    CluClients(CluPlan plan, Loops loops) throws IOException {
        this.plan = plan;
        this.codec = new CluCodec(plan, "127.0.0.1");
        this.timeout = plan.timeout().toNanos();
        this.value = plan.expected().map(text -> text.getBytes(UTF_8)).orElse(null);
        for (int i = 0; i < plan.clients(); i++) {
            clients.add(new Client(loops));
        }
    }

    /** Sends the first request of each. */
    void start() {
        running = true;
        clients.forEach(Client::send);
    }

    /** Sends no more. */
    void stop() {
        running = false;
        clients.forEach(client -> client.sent = 0);
    }

    /** Gives requests up whose time is over, and sends others instead. */
    void tick() {
        long now = System.nanoTime();
        for (Client client : clients) {
            if (running && client.sent != 0 && now - client.sent > timeout) {
                lost++;
                client.next();
            }
        }
    }

    Counts take() {
        var counts = new Counts(latency, lost, wrong);
        latency = Histograms.none();
        lost = 0;
        wrong = 0;
        return counts;
    }

    /** Returns the value of the responses; empty before the first. */
    Optional<String> value() {
        return responded ? Optional.of(new String(value, UTF_8)) : Optional.empty();
    }

    @Override
    public void close() {
        clients.forEach(client -> client.socket.close());
    }
}

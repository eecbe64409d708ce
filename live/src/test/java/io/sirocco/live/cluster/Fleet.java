// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.cluster;

import io.sirocco.live.Arguments;
import io.sirocco.live.RequestException;
import io.sirocco.live.client.Connected;
import io.sirocco.live.client.LiveClient;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Many Java clients on two loops, each with a journal, each in one room. Used by one thread. */
final class Fleet implements AutoCloseable {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int AT_ONCE = 100;

    /** One of them. */
    record Receiver(LiveClient client, Journal journal) {}

    private final Loops loops;
    private final String url;
    private final List<Receiver> all = new ArrayList<>();

    Fleet(String url) throws IOException {
        this.url = url;
        this.loops = Loops.start(s -> s.loops(2).name("fleet"));
    }

    List<Receiver> all() {
        return all;
    }

    /** One more, which is connected to nothing yet. */
    LiveClient client() {
        return LiveClient.create(url, c -> c.loops(loops));
    }

    /** Connects so many, spread over the rooms. */
    void connect(int many, int rooms) throws Exception {
        for (int i = 0; i < many; i++) {
            var receiver = new Receiver(client(), new Journal(i % rooms));
            listen(receiver);
            all.add(receiver);
        }
        each(receiver -> receiver.client.connect().get(60, TimeUnit.SECONDS));
        for (Receiver receiver : all) {
            receiver.journal.await("that it has joined", 0, note -> note.isConnect());
        }
    }

    private static void listen(Receiver receiver) {
        Journal journal = receiver.journal;
        receiver.client.on("m", (Arguments all) -> journal.note(Journal.Kind.SAID, all.asInt(0)));
        receiver.client.on("sirocco:gap", (Arguments all) -> journal.note(Journal.Kind.GAP, 0));
        receiver.client.onConnected(connected -> joined(receiver, connected));
    }

    private static void joined(Receiver receiver, Connected connected) {
        Journal journal = receiver.journal;
        if (!connected.recovered()) {
            join(receiver.client, "room " + journal.room());
        }
        journal.note(connected.recovered() ? Journal.Kind.RECOVERED : Journal.Kind.CONNECTED, 0);
    }

    /** Until it is, or until the connection is another, which joins by itself. */
    private static void join(LiveClient client, String room) {
        while (true) {
            try {
                client.request("join", LONG, Void.class, room);
                return;
            } catch (RequestException e) {
                if (e.kind() == RequestException.Kind.CLOSED) {
                    return;
                }
            }
        }
    }

    /** Those who are on this node. */
    List<Receiver> on(String node) throws Exception {
        var there = new ArrayList<Receiver>();
        each(
                receiver -> {
                    if (where(receiver.client).equals(node)) {
                        synchronized (there) {
                            there.add(receiver);
                        }
                    }
                });
        return there;
    }

    static String where(LiveClient client) {
        return client.request("where", LONG, String.class);
    }

    private interface Work {
        void with(Receiver receiver) throws Exception;
    }

    private void each(Work work) throws InterruptedException, ExecutionException {
        var slots = new Semaphore(AT_ONCE);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var done = new ArrayList<Future<?>>();
            for (Receiver receiver : all) {
                done.add(
                        threads.submit(
                                () -> {
                                    slots.acquire();
                                    try {
                                        work.with(receiver);
                                        return null;
                                    } finally {
                                        slots.release();
                                    }
                                }));
            }
            for (Future<?> each : done) {
                each.get();
            }
        }
    }

    @Override
    public void close() {
        loops.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A {@link Cluster} under load: clients in rooms, Java's over WebSocket and browsers' over long
 * polling, and a publisher to each room. Used by one thread.
 */
final class Service implements AutoCloseable {
    /**
     * How much of it.
     *
     * @param pause of each publisher between two messages
     */
    record Load(int clients, int browsers, int rooms, Duration pause) {}

    final Cluster cluster;
    final Fleet fleet;
    final Ledger ledger;
    private final Browsers browsers;
    private final List<Publisher> publishers = new ArrayList<>();

    /** All are connected, and each has had a message: one that has not cannot recover. */
    Service(Cluster.Before before, Load load) throws Exception {
        cluster = Cluster.start(before);
        fleet = new Fleet(cluster.url());
        ledger = new Ledger(load.rooms);
        browsers = new Browsers(cluster.url(), load.browsers, load.rooms);
        fleet.connect(load.clients, load.rooms);
        for (int room = 0; room < load.rooms; room++) {
            publishers.add(new Publisher(room, fleet.client(), ledger, load.pause));
        }
        publishers.forEach(Publisher::begin);
        for (Fleet.Receiver receiver : fleet.all()) {
            receiver.journal().await("a message", 0, note -> note.is(Journal.Kind.SAID));
        }
        browsers.awaitFirst();
    }

    /** Publishes no more, waits until all is there, and reads what all were told. */
    List<Journal> end() throws Exception {
        for (Fleet.Receiver receiver : fleet.all()) {
            receiver.journal().awaitSettled();
        }
        publishers.forEach(Publisher::stop);
        for (Publisher publisher : publishers) {
            publisher.awaitEnd();
        }
        var journals = new ArrayList<Journal>();
        for (Fleet.Receiver receiver : fleet.all()) {
            Journal journal = receiver.journal();
            int last = ledger.last(journal.room());
            journal.await(
                    "the last message, " + last,
                    0,
                    note -> note.is(Journal.Kind.SAID) && note.number() == last);
            journals.add(journal);
        }
        journals.addAll(browsers.report(ledger));
        return journals;
    }

    @Override
    public void close() throws IOException {
        try (cluster;
                browsers) {
            fleet.close();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A node that writes down what it is told. Any thread. */
public final class Probe implements Node {
    /** What a node is told. */
    public sealed interface Told {
        record Delivered(Position position, Publication publication) implements Told {}

        record Gap(String why) implements Told {}

        record Taken(String namespace, String pid) implements Told {}

        record Joined(Room room, Member member) implements Told {}

        record Left(Room room, Member member) implements Told {}
    }

    private final String id = "node-" + UUID.randomUUID();
    private final List<Told> told = new ArrayList<>(); // with the lock held

    /** One that has a name of its own. */
    public Probe() {}

    @Override
    public String id() {
        return id;
    }

    @Override
    public void deliver(Position position, Publication publication) {
        tell(new Told.Delivered(position, publication));
    }

    @Override
    public void gap(String why) {
        tell(new Told.Gap(why));
    }

    @Override
    public void taken(String namespace, String pid) {
        tell(new Told.Taken(namespace, pid));
    }

    @Override
    public void joined(Room room, Member member) {
        tell(new Told.Joined(room, member));
    }

    @Override
    public void left(Room room, Member member) {
        tell(new Told.Left(room, member));
    }

    /** All so far. */
    public synchronized List<Told> told() {
        return List.copyOf(told);
    }

    /** Those of one kind so far. */
    public synchronized <T extends Told> List<T> told(Class<T> kind) {
        return told.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** The texts of the messages so far. */
    public List<String> events() {
        return told(Told.Delivered.class).stream().map(d -> d.publication().event()).toList();
    }

    /** Waits until what was told is as wanted. */
    public synchronized void await(String what, Predicate<List<Told>> wanted)
            throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!wanted.test(told)) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                int size = told.size();
                throw new AssertionError(
                        what
                                + " was not told; of "
                                + size
                                + " the last: "
                                + told.subList(Math.max(0, size - 5), size));
            }
            wait(left);
        }
    }

    /** Waits for one of these. */
    public void await(Told one) throws InterruptedException {
        await(one.toString(), all -> all.contains(one));
    }

    /** Waits for a message with this text. */
    public void awaitEvent(String event) throws InterruptedException {
        await("the message " + event, all -> all.reversed().stream().anyMatch(is(event)));
    }

    /** Waits for a gap. */
    public void awaitGap() throws InterruptedException {
        await("a gap", all -> all.stream().anyMatch(Told.Gap.class::isInstance));
    }

    private static Predicate<Told> is(String event) {
        return one ->
                one instanceof Told.Delivered delivered
                        && delivered.publication().event().equals(event);
    }

    private synchronized void tell(Told one) {
        told.add(one);
        notifyAll();
    }
}

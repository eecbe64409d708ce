// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * Messages that the broker has not acknowledged: at most 1,000, and 16 MiB of them. While there is
 * no room, a retained message takes the place of an older one to its topic, which nobody needs any
 * more. Further ones are refused; the log says so once, and how many, after the queue is empty
 * again. Any thread.
 */
final class PublishQueue {
    static final int MAX_MESSAGES = 1_000;
    private static final long MAX_BYTES = 16L << 20;

    private final BiConsumer<Level, String> log;
    private final TreeMap<Long, Message> waiting = new TreeMap<>();
    private long sequence;
    private int messages; // those in flight included
    private long bytes;
    private long refused;

    PublishQueue(BiConsumer<Level, String> log) {
        this.log = log;
    }

    /**
     * A message.
     *
     * @param acknowledged becomes true when the broker has it, and false if it is dropped
     */
    record Message(
            long sequence,
            String topic,
            byte[] payload,
            boolean retained,
            CompletableFuture<Boolean> acknowledged) {}

    /** Adds a message, or returns false if the queue is full. */
    boolean add(
            String topic,
            byte[] payload,
            boolean retained,
            CompletableFuture<Boolean> acknowledged) {
        if (retained && isFull(payload.length)) {
            removeRetained(topic).ifPresent(older -> done(older, false));
        }
        return addUnlessFull(topic, payload, retained, acknowledged);
    }

    private synchronized boolean isFull(int length) {
        return messages == MAX_MESSAGES || bytes + length > MAX_BYTES;
    }

    private synchronized Optional<Message> removeRetained(String topic) {
        Optional<Message> older =
                waiting.values().stream()
                        .filter(each -> each.retained && each.topic.equals(topic))
                        .findFirst();
        older.ifPresent(each -> waiting.remove(each.sequence));
        return older;
    }

    private synchronized boolean addUnlessFull(
            String topic,
            byte[] payload,
            boolean retained,
            CompletableFuture<Boolean> acknowledged) {
        if (isFull(payload.length)) {
            if (refused++ == 0) {
                log.accept(
                        Level.WARNING,
                        messages + " MQTT messages wait for the broker: further ones are dropped");
            }
            return false;
        }
        messages++;
        bytes += payload.length;
        var message = new Message(sequence++, topic, payload, retained, acknowledged);
        waiting.put(message.sequence, message);
        return true;
    }

    /** Takes the oldest. */
    synchronized Optional<Message> next() {
        return Optional.ofNullable(waiting.pollFirstEntry()).map(entry -> entry.getValue());
    }

    /** Returns a message, in its old place: the connection that was to send it is lost. */
    synchronized void putBack(Message message) {
        waiting.put(message.sequence, message);
    }

    /** Ends a message that was taken. */
    void done(Message message, boolean acknowledged) {
        long missed = forget(message);
        message.acknowledged.complete(acknowledged);
        if (missed > 0) {
            log.accept(Level.WARNING, missed + " MQTT messages were dropped");
        }
    }

    private synchronized long forget(Message message) {
        messages--;
        bytes -= message.payload.length;
        long missed = messages == 0 ? refused : 0;
        refused -= missed;
        return missed;
    }

    /** Drops all waiting messages. */
    void clear() {
        for (Optional<Message> message = next(); message.isPresent(); message = next()) {
            done(message.get(), false);
        }
    }

    /** Returns how many the broker has not acknowledged. */
    synchronized int size() {
        return messages;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A protocol that takes everything and writes down what it was told. */
class Probe implements Protocol, Acceptor {
    final CompletableFuture<Connection> opened = new CompletableFuture<>();
    final CompletableFuture<CloseCause> closed = new CompletableFuture<>();
    final CompletableFuture<Void> ended = new CompletableFuture<>();
    final AtomicInteger closes = new AtomicInteger();
    final AtomicInteger drains = new AtomicInteger();
    final AtomicInteger expiries = new AtomicInteger();
    private final ByteArrayOutputStream input = new ByteArrayOutputStream();

    @Override
    public Protocol accept(Connection connection) {
        opened.complete(connection);
        return this;
    }

    Connection connection() {
        return Rig.get(opened);
    }

    /** What has come in so far. Any thread. */
    String input() {
        synchronized (input) {
            return input.toString(StandardCharsets.ISO_8859_1);
        }
    }

    byte[] inputBytes() {
        synchronized (input) {
            return input.toByteArray();
        }
    }

    int inputLength() {
        synchronized (input) {
            return input.size();
        }
    }

    @Override
    public int received(Connection connection, byte[] bytes, int from, int to) {
        synchronized (input) {
            input.write(bytes, from, to - from);
        }
        return to;
    }

    @Override
    public void ended(Connection connection) {
        ended.complete(null);
        connection.finish();
    }

    @Override
    public void drained(Connection connection) {
        drains.incrementAndGet();
    }

    @Override
    public void expired(Connection connection) {
        expiries.incrementAndGet();
    }

    @Override
    public void closed(Connection connection, CloseCause cause) {
        closes.incrementAndGet();
        closed.complete(cause);
    }

    static void write(Connection connection, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        connection.write(bytes, 0, bytes.length);
    }
}

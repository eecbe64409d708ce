// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A protocol that takes everything and writes down what it was told. */
public class Probe implements Protocol, Acceptor {
    public final CompletableFuture<Connection> opened = new CompletableFuture<>();
    public final CompletableFuture<CloseCause> closed = new CompletableFuture<>();
    public final CompletableFuture<Void> ended = new CompletableFuture<>();
    public final AtomicInteger closes = new AtomicInteger();
    public final AtomicInteger drains = new AtomicInteger();
    public final AtomicInteger expiries = new AtomicInteger();
    private final ByteArrayOutputStream input = new ByteArrayOutputStream();

    public Probe() {}

    @Override
    public Protocol accept(Connection connection) {
        opened.complete(connection);
        return this;
    }

    public Connection connection() {
        return Rig.get(opened);
    }

    /** What has come in so far. Any thread. */
    public String input() {
        synchronized (input) {
            return input.toString(StandardCharsets.ISO_8859_1);
        }
    }

    public byte[] inputBytes() {
        synchronized (input) {
            return input.toByteArray();
        }
    }

    public int inputLength() {
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

    public static void write(Connection connection, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        connection.write(bytes, 0, bytes.length);
    }
}

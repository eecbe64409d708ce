// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.locks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A few client threads with many connections, each of which asks again when it was answered. Fails
 * if one connection is not answered.
 */
public final class ClosedLoop {
    private static final int THREADS = 4;

    /** What one connection does. Used by one thread. */
    public interface Talk extends AutoCloseable {
        /** Sends the question of this number, from 0. */
        void ask(int number) throws IOException;

        /** Receives the answer to it, which was checked when this returns. */
        void receive(int number) throws IOException;

        @Override
        void close() throws IOException;
    }

    /** Opens a connection. */
    @FunctionalInterface
    public interface Opener {
        /** Opens the one of this number, from 0. */
        Talk open(int connection) throws IOException;
    }

    private ClosedLoop() {}

    /** Has so many connections ask so many questions each, and waits for all answers. */
    public static void run(int connections, int questions, Opener opener) throws Exception {
        var clients = new ArrayList<FutureTask<Void>>();
        var failed = new AtomicInteger();
        var open = new CountDownLatch(THREADS);
        for (int i = 0; i < THREADS; i++) {
            int first = i;
            clients.add(
                    new FutureTask<>(
                            () -> {
                                try {
                                    play(first, connections, questions, opener, failed, open);
                                } finally {
                                    open.countDown();
                                }
                                return null;
                            }));
        }
        for (FutureTask<Void> client : clients) {
            Thread.ofPlatform().daemon().name("closed-loop").start(client);
        }
        Exception failure = null;
        for (FutureTask<Void> client : clients) {
            try {
                client.get(60, TimeUnit.SECONDS);
            } catch (Exception e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static void play(
            int first,
            int connections,
            int questions,
            Opener opener,
            AtomicInteger failed,
            CountDownLatch open)
            throws Exception {
        List<Talk> talks = new ArrayList<>();
        int connection = first;
        int question = 0;
        try {
            for (; connection < connections; connection += THREADS) {
                talks.add(opener.open(connection));
            }
            open.countDown();
            open.await();
            for (Talk talk : talks) {
                talk.ask(0);
            }
            for (; question < questions && failed.get() == 0; question++) {
                connection = first;
                for (Talk talk : talks) {
                    talk.receive(question);
                    if (question + 1 < questions) {
                        talk.ask(question + 1);
                    }
                    connection += THREADS;
                }
            }
        } catch (IOException | RuntimeException | AssertionError e) {
            failed.incrementAndGet();
            throw new AssertionError(
                    "connection %d, question %d: %s".formatted(connection, question, e), e);
        } finally {
            for (Talk talk : talks) {
                talk.close();
            }
        }
    }
}

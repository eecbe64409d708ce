// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.LinkedErrors;
import java.util.concurrent.locks.LockSupport;

/**
 * The shutdown of a loop whose thread ends, because the loop was stopped or has died. There may be
 * no heap left, so no step depends on the success of another, and a step that finds no heap is
 * tried again. The steps are neither lambdas nor an enum, since creating the former and loading the
 * class that switches over the latter takes heap. On the loop's thread.
 */
final class LoopShutdown {
    private static final String INCOMPLETE = "a loop could not end properly";

    static {
        LinkedErrors.link(Throwable.class, OutOfMemoryError.class, INCOMPLETE);
    }

    private static final LazyLogger LOG = LazyLogger.of(Loop.class);
    private static final int RESERVE = 128 << 10;
    private static final int LAST_ROUNDS = 8; // a last task may queue more tasks
    private static final int ATTEMPTS = 30; // of a step at once, while there is no heap
    private static final long RETRY_NANOS = 10_000_000;

    private static final int CLOSE_LISTENERS = 0;
    private static final int CLOSE_QUEUE = 1;
    private static final int CANCEL_ALL = 2;
    private static final int LOSE_CONNECTIONS = 3;
    private static final int LOSE_CONNECTS = 4;
    private static final int RUN_TASKS = 5;
    private static final int CLOSE_TRANSPORT = 6;
    private static final int CLOSE_ARENA = 7;
    private static final int CLOSE_CHUNKS = 8;
    private static final int ABANDON_THREADS = 9;

    private final Loop loop;
    private final Runnable pause = () -> LockSupport.parkNanos(RETRY_NANOS);
    private byte[] reserve = new byte[RESERVE]; // released when it begins, so that it has heap
    private int unfinished; // steps for which there was no heap, a bit for each

    LoopShutdown(Loop loop) {
        this.loop = loop;
    }

    /** Takes all steps, as far as there is heap for them. */
    void run(boolean died) {
        reserve = null;
        if (died) {
            attempt(CLOSE_LISTENERS); // or the kernel gives it its share of new connections
        }
        attempt(CLOSE_QUEUE);
        if (died) {
            attempt(CANCEL_ALL); // connections that are lost give their memory back
            attempt(LOSE_CONNECTIONS);
            attempt(LOSE_CONNECTS);
        }
        for (int rounds = 0; rounds < LAST_ROUNDS; rounds++) {
            attempt(RUN_TASKS);
        }
        if (died) { // connections that other loops had handed over have begun meanwhile
            attempt(LOSE_CONNECTIONS);
            attempt(RUN_TASKS);
        }
        loop.over = true;
        attempt(CLOSE_TRANSPORT);
        attempt(CLOSE_ARENA);
        attempt(CLOSE_CHUNKS);
        attempt(ABANDON_THREADS);
    }

    /** Takes the steps for which there was no heap, as soon as there is some. */
    void finish() {
        while (unfinished != 0) {
            loop.runOnCarrier(pause);
            int steps = unfinished;
            unfinished = 0;
            for (int step = 0; step <= ABANDON_THREADS; step++) {
                if ((steps & 1 << step) != 0) {
                    attempt(step);
                }
            }
        }
    }

    /** Takes a step; again, for a while, when there is no heap for it. */
    private void attempt(int step) {
        for (int attempt = 1; ; attempt++) {
            try {
                take(step);
                return;
            } catch (OutOfMemoryError e) {
                if (attempt == ATTEMPTS) {
                    unfinished |= 1 << step;
                    return;
                }
                Loop.yieldWithoutHeap();
            } catch (Throwable e) {
                Loop.warn(LOG, INCOMPLETE, e);
                return;
            }
        }
    }

    private void take(int step) {
        switch (step) {
            case CLOSE_LISTENERS -> loop.ownTransport().closeListeners();
            case CLOSE_QUEUE -> {
                loop.fromOthers.close(loop.takeOver);
                loop.virtualThreads.close();
            }
            case CANCEL_ALL -> loop.ownTransport().cancelAll();
            case LOSE_CONNECTIONS -> loseConnections();
            case LOSE_CONNECTS -> loseConnects();
            case RUN_TASKS -> {
                loop.runTasks();
                loop.runBeforeFlush();
                loop.releaseClosed();
            }
            case CLOSE_TRANSPORT -> loop.ownTransport().close();
            case CLOSE_ARENA -> {
                if (loop.arena.scope().isAlive()) {
                    loop.arena.close();
                }
            }
            case CLOSE_CHUNKS -> loop.chunks.close();
            default -> {
                while (!loop.virtualThreads.isEmpty()) {
                    loop.virtualThreads.abandonNext();
                }
            }
        }
    }

    /** Notifies peers and protocols that the loop has died. */
    private void loseConnections() {
        for (Connection lost; (lost = loop.connections.newest()) != null; ) {
            try {
                if (loop.transport() != TransportKind.IO_URING) { // a ring closes its own sockets
                    lost.close(CloseCause.STOPPED);
                }
            } catch (Throwable e) {
                loop.failed(e);
            }
            try {
                lost.lost();
            } catch (Throwable e) {
                loop.failed(e);
            }
            if (loop.connections.newest() == lost) {
                loop.gone(lost);
            }
        }
    }

    /** Notifies the connectors of connections that are being opened. */
    private void loseConnects() {
        for (PendingConnect lost; (lost = loop.connects.any()) != null; ) {
            try {
                lost.lost();
            } catch (Throwable e) {
                loop.failed(e);
            }
            loop.connects.over(lost);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.QuietLogs;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

/**
 * A lock that code on an event loop and the virtual threads of that loop take. Some of its holders
 * compute, some yield and some park, so that a virtual thread is unmounted while it holds the lock.
 * It counts its holders, which shows whether one of them was alone. Any thread.
 */
public abstract class SharedLock implements AutoCloseable {
    /** The locks that programs take, whether they know it or not. */
    public enum Kind {
        MONITOR,
        LOCK,
        /** {@code System.out}, which holds its lock while its output blocks. */
        STANDARD_OUTPUT,
        /** A handler of the log. */
        LOGGER,
        /** A bin of a {@link ConcurrentHashMap}, which {@code compute} locks. */
        MAP_BIN,
        /** A lock that is held while its holder waits for another one. */
        NESTED,
        /** A flag, for which {@link Thread#yield} is called until it is free. */
        SPIN
    }

    /** Runs while the lock is held. */
    @FunctionalInterface
    public interface Action {
        /** May fail as its caller does. */
        void run() throws IOException;
    }

    private static final Action NOTHING = () -> {};
    private static final int TURNS = 2_000; // of some nanoseconds, that a holder computes

    private final LongAdder uses = new LongAdder();
    private final ThreadLocal<Action> action = new ThreadLocal<>();
    private final ThreadLocal<IOException> failure = new ThreadLocal<>();
    private final boolean yields;
    private long holders; // guarded by the lock
    private long computed;
    private boolean held;
    private volatile boolean violated;

    private SharedLock(boolean yields) {
        this.yields = yields;
    }

    /** Creates one, to be closed: it may stand for something of the whole process. */
    public static SharedLock of(Kind kind) {
        return of(kind, true);
    }

    /** Creates one, some of whose holders give up the processor if {@code yields}. */
    public static SharedLock of(Kind kind, boolean yields) {
        return switch (kind) {
            case MONITOR -> new OfMonitor(yields);
            case LOCK -> new OfLock(yields);
            case STANDARD_OUTPUT -> new OfOutput(yields);
            case LOGGER -> new OfLogger(yields);
            case MAP_BIN -> new OfMapBin(yields);
            case NESTED -> new OfNestedLocks(yields);
            case SPIN -> new OfSpinLock(yields);
        };
    }

    /** Takes it, holds it for some microseconds, and releases it. */
    public final void use() {
        try {
            use(NOTHING);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Does the same, and runs {@code inside} while it is held. */
    public final void use(Action inside) throws IOException {
        uses.increment();
        action.set(inside);
        try {
            lock();
        } finally {
            action.remove();
        }
        IOException thrown = failure.get();
        if (thrown != null) {
            failure.remove();
            throw thrown;
        }
    }

    /** Takes the lock, calls {@link #hold}, and releases it. */
    abstract void lock();

    /** Called with the lock held. Does nothing on a thread that uses it for something else. */
    final void hold() {
        Action inside = action.get();
        if (inside == null) {
            return;
        }
        if (held) {
            violated = true;
        }
        held = true;
        long now = ++holders;
        for (int i = 0; i < TURNS; i++) {
            computed = computed * 31 + i;
        }
        if (yields && now % 16 == 0) {
            Thread.yield();
        } else if (yields && now % 64 == 8) {
            LockSupport.parkNanos(20_000);
        }
        try {
            inside.run();
        } catch (IOException e) {
            failure.set(e);
        }
        if (holders != now) {
            violated = true;
        }
        held = false;
    }

    /** Every use of it has held it, alone. When nobody uses it any more. */
    public final void check() {
        lock(); // sees what was done under it
        assertEquals(false, violated, "two holders at once");
        assertEquals(uses.sum(), holders, "holders");
    }

    @Override
    public void close() {}

    private static final class OfMonitor extends SharedLock {
        private OfMonitor(boolean yields) {
            super(yields);
        }

        @Override
        synchronized void lock() {
            hold();
        }
    }

    private static final class OfLock extends SharedLock {
        private final ReentrantLock lock = new ReentrantLock();

        private OfLock(boolean yields) {
            super(yields);
        }

        @Override
        void lock() {
            lock.lock();
            try {
                hold();
            } finally {
                lock.unlock();
            }
        }
    }

    private static final class OfOutput extends SharedLock {
        private final PrintStream before = System.out;

        private OfOutput(boolean yields) {
            super(yields);
            var sink =
                    new OutputStream() {
                        @Override
                        public void write(int b) {
                            if (b == '\n') {
                                hold();
                            }
                        }
                    };
            System.setOut(new PrintStream(sink, true));
        }

        @Override
        void lock() {
            System.out.println("a line");
        }

        @Override
        public void close() {
            System.setOut(before);
        }
    }

    private static final class OfLogger extends SharedLock {
        private static final System.Logger LOG = System.getLogger(SharedLock.class.getName());

        private final Object handler = new Object();
        private final BiConsumer<String, Throwable> reader =
                (_, _) -> {
                    synchronized (handler) {
                        hold();
                    }
                };

        private OfLogger(boolean yields) {
            super(yields);
            QuietLogs.READERS.add(reader);
        }

        @Override
        void lock() {
            LOG.log(System.Logger.Level.INFO, "a line");
        }

        @Override
        public void close() {
            QuietLogs.READERS.remove(reader);
        }
    }

    private static final class OfMapBin extends SharedLock {
        private static final int KEYS = 4; // few enough for a list

        private record Key(int number) {
            @Override
            public int hashCode() {
                return 1;
            }
        }

        private final ConcurrentHashMap<Key, Integer> map = new ConcurrentHashMap<>();

        private OfMapBin(boolean yields) {
            super(yields);
            for (int i = 0; i < KEYS; i++) {
                map.put(new Key(i), 0);
            }
        }

        @Override
        void lock() {
            map.compute(
                    new Key((int) (System.nanoTime() >>> 4) & KEYS - 1),
                    (_, count) -> {
                        hold();
                        return count + 1;
                    });
        }
    }

    private static final class OfNestedLocks extends SharedLock {
        private final ReentrantLock outer = new ReentrantLock();
        private final Object inner = new Object();

        private OfNestedLocks(boolean yields) {
            super(yields);
        }

        @Override
        void lock() {
            if ((System.nanoTime() >>> 4 & 3) == 0) {
                lockInner();
                return;
            }
            outer.lock();
            try {
                lockInner();
            } finally {
                outer.unlock();
            }
        }

        private void lockInner() {
            synchronized (inner) {
                hold();
            }
        }
    }

    private static final class OfSpinLock extends SharedLock {
        private final AtomicBoolean taken = new AtomicBoolean();

        private OfSpinLock(boolean yields) {
            super(yields);
        }

        @Override
        void lock() {
            while (!taken.compareAndSet(false, true)) {
                Thread.yield();
            }
            try {
                hold();
            } finally {
                taken.set(false);
            }
        }
    }
}

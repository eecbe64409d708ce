// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/**
 * A virtual thread whose carrier is a loop: it runs while the loop runs it, and when it parks the
 * loop goes on. While it runs it may touch all that the loop's own thread may touch; but where it
 * waits for a lock it parks too, so that none may be taken while something of the loop is half
 * done.
 *
 * <p>On JDK 25 the package-private constructor of {@code java.lang.VirtualThread} takes the
 * scheduler; this class is the only one that knows. It wants {@code --add-opens
 * java.base/java.lang=ALL-UNNAMED} (or {@code =io.sirocco.net}). {@link #AVAILABLE} says whether a
 * thread was really carried when the class was loaded; where it is false, loops start ordinary
 * virtual threads instead.
 *
 * <p>{@link #execute} is called by the JDK, with the continuation to run, whenever the thread
 * becomes runnable: on the thread that unparks it. A virtual thread inherits the scheduler of the
 * one that starts it, so this is also called for what a carried thread starts: that goes to the
 * JDK's own scheduler, as it would anywhere else, and may work hard without holding the loop.
 */
final class Carried implements Executor {
    private static final MethodHandle CONSTRUCTOR = constructor();

    private static final Executor JDK_SCHEDULER = jdkScheduler();

    /** Proven by a self-test. */
    static final boolean AVAILABLE = CONSTRUCTOR != null && JDK_SCHEDULER != null && selfTest();

    private final Host host;
    private Thread thread;
    private Runnable continuation;

    /** Where runnable threads queue up: the loop. */
    interface Host {
        void runnable(Carried carried);
    }

    private Carried(Host host) {
        this.host = host;
    }

    /** Starts {@code task}; the host is told at once that it is runnable. */
    static Carried start(Host host, Runnable task) {
        var carried = new Carried(host);
        carried.thread = create(carried, task);
        carried.thread.start();
        return carried;
    }

    Thread thread() {
        return thread;
    }

    @Override
    public void execute(Runnable runContinuation) {
        if (continuation == null) {
            continuation = runContinuation; // its own comes first, and is always the same
        }
        if (continuation == runContinuation) {
            host.runnable(this);
        } else {
            JDK_SCHEDULER.execute(runContinuation);
        }
    }

    /** Runs it, on the calling thread, until it parks or ends. */
    void run() {
        continuation.run();
    }

    private static Thread create(Executor scheduler, Runnable task) {
        try {
            return (Thread) CONSTRUCTOR.invokeExact(scheduler, (String) null, 0, task);
        } catch (Throwable e) {
            throw new AssertionError(
                    "the self-test passed, yet a carried thread cannot be made", e);
        }
    }

    private static MethodHandle constructor() {
        try {
            Class<?> type = Class.forName("java.lang.VirtualThread");
            var parameters =
                    MethodType.methodType(
                            void.class, Executor.class, String.class, int.class, Runnable.class);
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                    .findConstructor(type, parameters)
                    .asType(parameters.changeReturnType(Thread.class));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null; // another JDK, or not opened to us
        }
    }

    private static Executor jdkScheduler() {
        try {
            Class<?> type = Class.forName("java.lang.VirtualThread");
            return (Executor)
                    MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                            .findStaticVarHandle(type, "DEFAULT_SCHEDULER", ForkJoinPool.class)
                            .get();
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null; // another JDK, or not opened to us
        }
    }

    /** A thread must run, park, be unparked and end, all on the thread that calls {@link #run}. */
    private static boolean selfTest() {
        var runnable = new ArrayDeque<Carried>();
        var steps = new int[1];
        try {
            Carried carried =
                    start(
                            runnable::add,
                            () -> {
                                steps[0]++;
                                Thread.yield();
                                steps[0]++;
                            });
            for (int turns = 0; carried.thread.isAlive() && turns < 8; turns++) {
                Carried next = runnable.poll();
                if (next == null) {
                    return false;
                }
                next.run();
            }
            return steps[0] == 2 && !carried.thread.isAlive();
        } catch (RuntimeException | LinkageError e) {
            return false;
        }
    }
}

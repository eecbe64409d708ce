// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A virtual thread that a loop carries: it runs when the loop has chosen it, or waits for a lock,
 * and when it parks the loop goes on. While it runs it may touch all that the loop's own code may
 * touch. It also parks where it waits for a lock, so the state of the loop must be consistent
 * there.
 *
 * <p>On JDK 25 the package-private constructor of {@code java.lang.VirtualThread} takes the
 * scheduler; this class is the only one that knows. It wants {@code --add-opens
 * java.base/java.lang=ALL-UNNAMED} (or {@code =io.sirocco.net}). {@link #AVAILABLE} says whether a
 * thread was really carried when the class was loaded; where it is false, loops are platform
 * threads and start ordinary virtual threads.
 *
 * <p>{@link #execute} is called by the JDK, with the continuation to run, whenever the thread
 * becomes runnable: on the thread that unparks it. A virtual thread inherits the scheduler of the
 * one that starts it, so this is also called for what a carried thread starts: that goes to the
 * JDK's own scheduler, as it would anywhere else, and may work hard without blocking the loop.
 */
final class LoopVirtualThread implements Executor {
    private static final MethodHandle CONSTRUCTOR = constructor();

    /** {@code Thread.NO_INHERIT_THREAD_LOCALS}: see {@link Loop#startElsewhere}. */
    private static final int NO_INHERITANCE = 1 << 2;

    private static final Executor JDK_SCHEDULER = jdkScheduler();

    private static final int SELF_TEST_MILLIS = 5_000; // at most, where something does not work

    /** Proven by a self-test. */
    static final boolean AVAILABLE = CONSTRUCTOR != null && JDK_SCHEDULER != null && selfTest();

    /** The kind of its task; null for one that stays on its loop. Loop-confined. */
    TaskKind kind;

    /** Nested sections in which it must not leave the loop; touched by itself only. */
    int sections;

    private final Scheduler host;
    private final boolean movable;
    private Thread thread;
    private Runnable continuation;
    private boolean hasRun; // loop-confined
    private volatile boolean elsewhere; // for good: it has left the loop

    /** Queues threads that can run: the loop. */
    interface Scheduler {
        void runnable(LoopVirtualThread carried);
    }

    private LoopVirtualThread(Scheduler host, TaskKind kind, boolean movable) {
        this.host = host;
        this.kind = kind;
        this.movable = movable;
    }

    /** Starts {@code task}; the host is told at once that it is runnable. */
    static LoopVirtualThread start(Scheduler host, TaskKind kind, boolean movable, Runnable task) {
        var carried = new LoopVirtualThread(host, kind, movable);
        carried.thread = create(carried, NO_INHERITANCE, task);
        carried.thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        carried.thread.start();
        return carried;
    }

    Thread thread() {
        return thread;
    }

    /**
     * Returns whether it is to continue on the JDK's scheduler. Asked by the loop, before it runs
     * the thread: by then all is done that the loop had to do behind the thread's last run.
     */
    boolean leaves() {
        return movable && hasRun && sections == 0 && kind != null && kind.moved();
    }

    /** Lets the JDK's scheduler run it from now on. */
    void runElsewhere() {
        elsewhere = true;
        JDK_SCHEDULER.execute(continuation);
    }

    @Override
    public void execute(Runnable runContinuation) {
        if (continuation == null) {
            continuation = runContinuation; // its own comes first, and is always the same
        }
        if (continuation == runContinuation && !elsewhere) {
            host.runnable(this);
        } else {
            JDK_SCHEDULER.execute(runContinuation);
        }
    }

    /** Runs it, on the calling thread, until it parks or ends. */
    void run() {
        hasRun = true;
        continuation.run();
    }

    /** Runs the continuation of a thread that is not of a loop. */
    static void onJdkScheduler(Runnable runContinuation) {
        JDK_SCHEDULER.execute(runContinuation);
    }

    /** Creates a virtual thread that {@code scheduler} runs. */
    static Thread create(Executor scheduler, Runnable task) {
        return create(scheduler, 0, task);
    }

    private static Thread create(Executor scheduler, int characteristics, Runnable task) {
        try {
            return (Thread)
                    CONSTRUCTOR.invokeExact(scheduler, (String) null, characteristics, task);
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

    /**
     * A thread must run, yield, park, be unparked by another thread, and end; it must run on the
     * thread that calls {@link #run}, and only while that does.
     */
    private static boolean selfTest() {
        var runnable = new LinkedBlockingQueue<LoopVirtualThread>();
        var steps = new AtomicInteger();
        var unparked = new AtomicBoolean();
        try {
            LoopVirtualThread carried =
                    start(
                            runnable::add,
                            null,
                            false,
                            () -> {
                                steps.incrementAndGet();
                                Thread.yield();
                                steps.incrementAndGet();
                                while (!unparked.get()) {
                                    LockSupport.park();
                                }
                                steps.incrementAndGet();
                            });
            boolean ran = step(runnable, steps, 1) && step(runnable, steps, 2);
            if (!ran || carried.thread.getState() != Thread.State.WAITING) {
                return false;
            }
            Thread other =
                    Thread.ofPlatform()
                            .daemon()
                            .name("sirocco-self-test")
                            .start(new Unpark(carried.thread, unparked));
            other.join(SELF_TEST_MILLIS);
            return step(runnable, steps, 3) && !carried.thread.isAlive();
        } catch (RuntimeException | LinkageError e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** No lambda, whose code would belong to the class that the self-test initializes. */
    private record Unpark(Thread thread, AtomicBoolean unparked) implements Runnable {
        @Override
        public void run() {
            unparked.set(true);
            LockSupport.unpark(thread);
        }
    }

    /** Runs the thread that is runnable: it takes one step then, and none before. */
    private static boolean step(
            LinkedBlockingQueue<LoopVirtualThread> runnable, AtomicInteger steps, int number)
            throws InterruptedException {
        LoopVirtualThread next = runnable.poll(SELF_TEST_MILLIS, TimeUnit.MILLISECONDS);
        if (next == null || steps.get() != number - 1) {
            return false;
        }
        next.run();
        return steps.get() == number;
    }
}

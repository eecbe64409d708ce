// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * One platform thread, one poller, and the connections it owns. A connection never changes its
 * loop, and all of its state is touched by the loop's thread only, so there are no locks. A turn of
 * the loop is
 *
 * <pre>
 *   await      submit what the last turn started, wait for the kernel or a wake-up
 *   dispatch   connections receive, are sent, end; handlers run
 *   tasks      what other threads handed over; virtual threads that became runnable
 *   timers     deadlines that have passed
 *   flush      one send for each connection that was written to
 * </pre>
 *
 * <p>{@link #execute}, {@link #inLoop} and {@link #stats} may be called by any thread; all else is
 * loop-confined.
 */
public final class Loop implements Executor, Carried.Host {
    private static final LazyLogger LOG = LazyLogger.of(Loop.class);
    private static final VarHandle HANDED = field("handed", Handed.class);
    private static final VarHandle ASLEEP = field("asleep", boolean.class);
    private static final VarHandle HELD_SINCE = field("heldSince", long.class);
    private static final int SLAB = 128 << 10;
    private static final long MAX_HANDED = 1 << 20;
    private static final int LAST_ROUNDS = 8; // what a last task asks for may ask for more

    final Settings settings;
    final Arena arena = Arena.ofShared();
    final Chunks chunks = new Chunks(arena);
    private final int index;
    private final Thread thread;
    private final CompletableFuture<Loop> started = new CompletableFuture<>();
    private final CompletableFuture<Loop> ended = new CompletableFuture<>();

    /** The property is for tests, which need the fall-back where it is not the last resort. */
    private final boolean carries =
            Carried.AVAILABLE && !Boolean.getBoolean("io.sirocco.net.uncarried");

    private final Outgoing outgoing = new Outgoing(this);
    private final Appointments appointments = new Appointments();
    private Transport transport;
    private Wheel wheel;
    private byte[] slab = new byte[SLAB];
    private TlsWork tlsWork; // null before the first TLS connection

    /** Tasks from other threads, newest first; {@link #CLOSED} once the loop takes no more. */
    private volatile Handed handed;

    private volatile boolean asleep;
    private final ArrayDeque<Runnable> local = new ArrayDeque<>();
    private final ArrayDeque<Carried> runnable = new ArrayDeque<>();
    private Carried running;

    private Connection[] written = new Connection[64];
    private int writtenCount;
    private Connection all; // a list through Connection.newer / older, so that stop finds them
    private boolean stopping;
    private boolean over; // the transport is closed
    private long nanos;
    private long millis;

    private volatile long heldSince; // 0 while waiting
    private long accepted;
    private long connected;
    private int open;
    int parked;
    long acceptFailures;
    long bytesIn;
    long bytesOut;
    private long turns;
    private long heldNanos;
    private long longestTurn;

    private record Handed(Object item, Handed older, long depth) {}

    private static final Handed CLOSED = new Handed(null, null, 0);

    Loop(int index, Settings settings) {
        this.index = index;
        this.settings = settings;
        this.thread =
                Thread.ofPlatform().name(settings.name + "-loop-" + index).unstarted(this::run);
    }

    /** Its number in the group, from 0. */
    public int index() {
        return index;
    }

    /** Milliseconds of the clock, read once per turn. */
    public long now() {
        return millis;
    }

    /** Nanoseconds of the clock, read once per turn. */
    public long nanos() {
        return nanos;
    }

    /** The clock it reads. Any thread. */
    public Clock clock() {
        return settings.clock;
    }

    /** How it talks to the kernel. Any thread. */
    public TransportKind transport() {
        return transport.kind();
    }

    /**
     * Whether the caller may touch what belongs to this loop: its thread, or a virtual thread that
     * it runs now.
     */
    public boolean inLoop() {
        Thread current = Thread.currentThread();
        Carried carried = running;
        return current == thread || carried != null && carried.thread() == current;
    }

    /**
     * Has {@code task} run on this loop, soon. Any thread.
     *
     * @throws RejectedExecutionException when the loop has ended, or a million tasks wait
     */
    @Override
    public void execute(Runnable task) {
        if (inLoop() && !over) {
            local.add(task);
        } else if (!handOver(task, MAX_HANDED)) {
            throw new RejectedExecutionException(
                    ended.isDone() || handed == CLOSED
                            ? "the loop has ended"
                            : "a million tasks wait for the loop");
        }
    }

    /** Runs {@code task} once, {@code delayMillis} from now. Loop-confined. */
    public Alarm after(long delayMillis, Runnable task) {
        var alarm = new Alarm(this, task);
        wheel.arm(alarm, millis + Math.min(delayMillis, Timer.NEVER - Math.max(0, millis)));
        return alarm;
    }

    /**
     * Runs {@code task} once, when {@link #nanos} has come to {@code atNanos}: mostly within a
     * tenth of a millisecond, where {@link #after} may be 16 late. It costs more, and cannot be
     * called off. Loop-confined.
     */
    public void at(long atNanos, Runnable task) {
        appointments.add(atNanos, task);
    }

    /**
     * Opens a connection, and tells {@code connector} what became of it. Loop-confined.
     *
     * @throws RejectedExecutionException when the loop is stopping
     */
    public void connect(Destination to, Connector connector) {
        if (stopping) {
            throw new RejectedExecutionException("the loop is stopping");
        }
        outgoing.begin(to, connector);
    }

    /** Calls {@code action} with the protocol of each connection that has one. Loop-confined. */
    public void protocols(Consumer<? super Protocol> action) {
        for (Connection connection = all; connection != null; connection = connection.older) {
            if (!connection.parked()) {
                action.accept(connection.protocol());
            }
        }
    }

    /** Whether it carries the virtual threads that it starts. Any thread. */
    public boolean carriesVirtualThreads() {
        return carries;
    }

    /**
     * Starts a virtual thread. Where {@linkplain #carriesVirtualThreads possible} this loop carries
     * it, and when called on the loop's thread it has run until it first blocked, or ended, when
     * this returns.
     */
    public Thread startVirtual(Runnable task) {
        if (!carries) {
            return Thread.ofVirtual().start(task);
        }
        Carried carried = Carried.start(this, task);
        if (Thread.currentThread() == thread && runnable.peekLast() == carried) {
            runnable.pollLast();
            run(carried);
        }
        return carried.thread();
    }

    /** What it has done so far; figures of one loop may be a turn apart. Any thread. */
    public LoopStats stats() {
        return new LoopStats(
                accepted,
                acceptFailures,
                connected,
                open,
                parked,
                bytesIn,
                bytesOut,
                turns,
                heldNanos,
                longestTurn,
                chunks.bytes());
    }

    @Override
    public String toString() {
        return thread.getName();
    }

    // ---- for the package

    Wheel wheel() {
        return wheel;
    }

    /**
     * Nanoseconds until a deadline or an appointment has to be looked at; -1 when there is none.
     */
    long untilNext() {
        long millis = wheel.untilNext();
        long ahead = millis < 0 ? Long.MAX_VALUE : millis * 1_000_000;
        if (!appointments.isEmpty()) {
            ahead = Math.clamp(appointments.next() - settings.clock.nanos(), 0, ahead);
        }
        return ahead == Long.MAX_VALUE ? -1 : ahead;
    }

    Transport poller() {
        return transport;
    }

    CompletableFuture<Loop> start() {
        thread.start();
        return started;
    }

    /** Whether the caller would wait for itself if it waited for this loop. */
    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Aborts what is open and ends the thread. */
    CompletableFuture<Loop> stop() {
        if (!handOver((Runnable) this::stopNow, Long.MAX_VALUE)) {
            ended.complete(this);
        }
        return ended;
    }

    /** A scratch array of at least {@code size} bytes, the same for all connections of the loop. */
    byte[] slab(int size) {
        return size <= slab.length ? slab : new byte[size];
    }

    /** What its TLS connections share. */
    TlsWork tlsWork() {
        if (tlsWork == null) {
            tlsWork = new TlsWork(this);
        }
        return tlsWork;
    }

    /** Has {@code connection} flushed at the end of the turn. */
    void written(Connection connection) {
        if (writtenCount == written.length) {
            written = Arrays.copyOf(written, writtenCount * 2);
        }
        written[writtenCount++] = connection;
    }

    void accepted(Connection connection) {
        accepted++;
        opened(connection);
    }

    void connected(Connection connection) {
        connected++;
        opened(connection);
    }

    private void opened(Connection connection) {
        open++;
        connection.older = all;
        if (all != null) {
            all.newer = connection;
        }
        all = connection;
        if (stopping) {
            connection.close(CloseCause.STOPPED);
        }
    }

    void gone(Connection connection) {
        open--;
        if (connection.newer != null) {
            connection.newer.older = connection.older;
        } else {
            all = connection.older;
        }
        if (connection.older != null) {
            connection.older.newer = connection.newer;
        }
        connection.older = null;
        connection.newer = null;
    }

    void failed(Throwable thrown) {
        warn(LOG.get(), "code called on " + this + " threw", thrown);
        try {
            settings.observer.failed(this, thrown);
        } catch (Throwable e) {
            warn(LOG.get(), "the observer threw", e);
        }
    }

    /**
     * Logs, whatever the logger says: it may want to open a file when there are no descriptors, and
     * no loop shall end over that.
     */
    static void warn(System.Logger log, String text, Throwable thrown) {
        try {
            log.log(Level.WARNING, text, thrown);
        } catch (Throwable e) {
            // there is no one left to tell
        }
    }

    /** Where the thread that the loop runs is at this moment. Any thread. */
    StackTraceElement[] stack() {
        Carried carried = running;
        return (carried != null ? carried.thread() : thread).getStackTrace();
    }

    /** When the present turn began, as {@link System#nanoTime}; 0 while it waits. */
    long heldSince() {
        return (long) HELD_SINCE.getOpaque(this);
    }

    // ---- virtual threads

    @Override
    public void runnable(Carried carried) {
        if (inLoop() && !over) {
            runnable.add(carried);
        } else if (!handOver(carried, Long.MAX_VALUE)) {
            // The loop has ended before the thread did: it may at least come to its end.
            ForkJoinPool.commonPool().execute(carried::run);
        }
    }

    private void run(Carried carried) {
        running = carried;
        try {
            carried.run();
        } catch (Throwable e) {
            failed(e);
        } finally {
            running = null;
        }
    }

    // ---- the thread

    private void run() {
        try {
            tick();
            wheel = new Wheel(millis);
            transport = Transports.open(settings.transport, this);
        } catch (Throwable e) {
            handed = CLOSED;
            arena.close();
            started.completeExceptionally(e);
            return;
        }
        settings.clock.onLeap(
                () -> {
                    if (!ended.isDone()) {
                        transport.wake();
                    }
                });
        started.complete(this);
        try {
            while (!stopping || open > 0 || !outgoing.idle()) {
                turn();
            }
        } catch (Throwable e) {
            LOG.get().log(Level.ERROR, this + " has died", e);
        } finally {
            end();
        }
    }

    private void turn() throws IOException {
        boolean idle = local.isEmpty() && runnable.isEmpty() && writtenCount == 0;
        if (idle) {
            asleep = true;
            idle = handed == null;
        }
        rest();
        transport.await(idle);
        asleep = false;
        tick();
        HELD_SINCE.setOpaque(this, System.nanoTime());
        turns++;
        transport.dispatch();
        if (handed != null) {
            takeOver((Handed) HANDED.getAndSet(this, (Handed) null));
        }
        runTasks();
        wheel.advance(millis);
        appointments.keep(nanos, this::runTask);
        flush();
    }

    private void rest() {
        long since = heldSince;
        if (since != 0) {
            long held = System.nanoTime() - since;
            heldNanos += held;
            longestTurn = Math.max(longestTurn, held);
            HELD_SINCE.setOpaque(this, 0L);
        }
    }

    private void tick() {
        nanos = settings.clock.nanos();
        millis = nanos / 1_000_000;
    }

    private void runTasks() {
        for (int n = local.size(); n > 0; n--) { // those they add in turn wait for the next turn
            runTask(local.poll());
        }
        for (int n = runnable.size(); n > 0; n--) {
            run(runnable.poll());
        }
    }

    private void runTask(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            failed(e);
        }
    }

    private void flush() {
        int count = writtenCount;
        for (int i = 0; i < count; i++) {
            Connection connection = written[i];
            written[i] = null;
            connection.flush();
        }
        writtenCount -= count; // those that were told they have drained wait for the next turn
        System.arraycopy(written, count, written, 0, writtenCount);
        Arrays.fill(written, Math.max(count, writtenCount), count + writtenCount, null);
    }

    private void stopNow() {
        if (stopping) {
            return;
        }
        stopping = true;
        outgoing.giveUp();
        Connection connection = all;
        while (connection != null) {
            Connection following = connection.older;
            connection.close(CloseCause.STOPPED);
            connection = following;
        }
    }

    private void end() {
        takeOver((Handed) HANDED.getAndSet(this, CLOSED));
        for (int rounds = 0; rounds < LAST_ROUNDS; rounds++) {
            runTasks();
        }
        over = true;
        transport.close();
        arena.close();
        while (!runnable.isEmpty()) {
            runnable(runnable.poll());
        }
        ended.complete(this);
    }

    // ---- the hand-over queue: a stack that any thread pushes to, and that the loop takes whole
    // and turns around

    private boolean handOver(Object item, long limit) {
        while (true) {
            Handed top = handed;
            if (top == CLOSED || top != null && top.depth >= limit) {
                return false;
            }
            if (HANDED.compareAndSet(
                    this, top, new Handed(item, top, top == null ? 1 : top.depth + 1))) {
                if (asleep && ASLEEP.compareAndSet(this, true, false)) {
                    transport.wake();
                }
                return true;
            }
        }
    }

    private void takeOver(Handed newest) {
        Handed oldest = null;
        while (newest != null) {
            Handed older = newest.older;
            oldest = new Handed(newest.item, oldest, 0);
            newest = older;
        }
        for (; oldest != null; oldest = oldest.older) {
            if (oldest.item instanceof Carried carried) {
                runnable.add(carried);
            } else {
                local.add((Runnable) oldest.item);
            }
        }
    }

    private static VarHandle field(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(Loop.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}

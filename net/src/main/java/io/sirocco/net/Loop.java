// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.output.Chunks;
import io.sirocco.net.transport.Transport;
import io.sirocco.net.transport.TransportLoop;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * One thread, its transport, and the connections that it owns. A connection that is served never
 * changes its loop, and only the loop touches its state, so there are no locks. A turn of the loop
 * is
 *
 * <pre>
 *   await      submit what the last turn started, wait for the kernel or a wake-up
 *   dispatch   connections receive, send and close; handlers run
 *   tasks      what other threads handed over; virtual threads that became runnable
 *   timers     deadlines that have passed
 *   flush      one send for each connection that was written to, and for each UDP socket
 *   release    free closed connections
 * </pre>
 *
 * <p>Output is also flushed between two pieces of work when the turn has lasted for half a
 * millisecond, and again after each further half: no response waits for the handlers of others.
 *
 * <p>The thread is a virtual one on a {@link LoopCarrier}, which runs the other virtual threads of
 * the loop as well, one at a time. All of them are on the loop while they run. They run when the
 * loop's own code starts one, in their turn among the tasks, and wherever the loop's own code waits
 * for a lock. So its state is consistent wherever it calls code of others, takes a lock or logs:
 * fields are set before the call, and what was read before it is read again. Where the JVM lacks an
 * option, the thread is a platform thread and has no virtual threads of its own.
 *
 * <p>Loop-confined, except where noted.
 */
public final class Loop implements Executor {
    static {
        LinkedErrors.link(Throwable.class, OutOfMemoryError.class, Loop.OBSERVER_THREW);
    }

    static final LazyLogger LOG = LazyLogger.of(Loop.class);
    private static final VarHandle SLEEP = field("sleep", int.class);

    // Of the loop, for others who hand something over
    private static final int AWAKE = 0;
    private static final int ASLEEP = 1; // it waits for the kernel
    private static final int WAKING = 2; // one of them wakes it
    private static final int SLAB = 128 << 10;
    private static final long MAX_HANDED_OVER = 1 << 20;
    private static final int VISITED_PER_TURN = 512; // closing one costs the kernel 20 to 40 us
    private static final String OBSERVER_THREW = "the observer threw";

    final Settings settings;
    final Arena arena = Arena.ofShared();
    final Chunks chunks;
    final ConnectionOutput.Pool outputs;
    private final MemoryBudget memory;
    private final int index;
    private final Thread thread; // runs its own code
    private final LoopCarrier carrier; // below that thread; null where it is a platform thread

    private volatile Throwable fatal; // ends the loop after this turn; null for none

    // Made beforehand, since a turn and the end of the loop allocate nothing of their own
    final Consumer<Runnable> takeOver = this::takeOver;
    private final Consumer<Runnable> runTask = this::runTask;
    private final CompletableFuture<Loop> started = new CompletableFuture<>();
    private final CompletableFuture<Loop> ended = new CompletableFuture<>();
    final LoopDeath death;

    /** Whether it carries virtual threads; a property lets tests use the fallback. */
    private final boolean carries =
            LoopVirtualThread.AVAILABLE && !Boolean.getBoolean("io.sirocco.net.uncarried");

    final Connects connects = new Connects(this);
    private final PreciseTimers preciseTimers = new PreciseTimers();
    private Transport transport;
    private TimerWheel timers;
    private byte[] slab = new byte[SLAB];
    final ReceivedBytes receivedBytes = new ReceivedBytes();
    private TlsLoopContext tlsContext; // null before the first TLS connection

    /** Tasks of other threads. */
    final MpscQueue<Runnable> fromOthers = new MpscQueue<>();

    private volatile int sleep = AWAKE;
    private final ArrayDeque<Runnable> local = new ArrayDeque<>();
    private final ArrayDeque<Connection> toRelease = new ArrayDeque<>(); // at the end of the turn
    final LoopVirtualThreads virtualThreads = new LoopVirtualThreads(this);

    private final ArrayDeque<Runnable> beforeFlush = new ArrayDeque<>();
    private final FlushQueue flushQueue = new FlushQueue();
    final LoopConnections connections = new LoopConnections();
    private final MemoryRelief relief = new MemoryRelief(this, connections);
    private final LoopShutdown shutdown = new LoopShutdown(this);
    private boolean stopping;
    boolean over; // the transport is closed
    private long nanos;
    private long millis;

    final TurnClock turns = new TurnClock();
    Watchdog watchdog; // null where there is none
    volatile Path schedulerStatistics; // of the thread; null where the system has none
    volatile int blockingTaskKinds; // kinds of task that have blocked it; written by the watchdog
    private volatile boolean leapt; // a manual clock has moved since it was read
    private Connection servedLast; // in this turn, by a protocol that asks mustYield
    private int servedInARow;
    private long accepted;
    private long connected;
    private int mostConnections = Integer.MAX_VALUE;
    long connectionsRefused;
    int parked;
    long acceptFailures;
    private int handshakes; // of clients with us, under way
    private Runnable handshaken; // when there is none any more; null while nobody asks
    long bytesIn;
    long bytesOut;

    private static final Set<Thread> THREADS = ConcurrentHashMap.newKeySet();

    /** Made beforehand, as there may be no heap when it is needed. */
    private static final Consumer<Runnable> DROP = task -> {};

    static final String STOPPING = "the loop is stopping";

    Loop(int index, Settings settings) {
        this.index = index;
        this.settings = settings;
        this.memory = new MemoryBudget(settings.memoryPerLoop());
        this.chunks = new Chunks(arena, memory, relief::shrinkLater);
        this.outputs = new ConnectionOutput.Pool(chunks);
        memory.onShortage(chunks::reclaim);
        String name = settings.name + "-loop-" + index;
        this.death = new LoopDeath(this, name);
        this.carrier = carries ? new LoopCarrier(this, virtualThreads, name, this::run) : null;
        this.thread =
                carrier != null
                        ? carrier.ownThread()
                        : Thread.ofPlatform().name(name).unstarted(this::run);
    }

    /** Returns the number of the loop in its group, from 0. */
    public int index() {
        return index;
    }

    /** Returns the milliseconds of the clock, read once per turn. */
    public long now() {
        return millis;
    }

    /** Returns the nanoseconds of the clock, read once per turn. */
    public long nanos() {
        return nanos;
    }

    /** Returns the clock that the loop reads. Any thread. */
    public Clock clock() {
        return settings.clock;
    }

    /** Returns the memory that its connections share. */
    public MemoryBudget memory() {
        return memory;
    }

    /**
     * Returns the error that has ended the loop; empty while it runs, or when it was stopped. Any
     * thread.
     */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(death.cause());
    }

    /** Returns the same without allocating. Any thread. */
    boolean hasFailed() {
        return death.cause() != null;
    }

    /** Returns whether it is dead because it did not end its turn: then it may never end. */
    boolean hasStalled() {
        return death.cause() instanceof LoopStalledException;
    }

    /** Returns what completes when its thread has ended. */
    CompletableFuture<Loop> ended() {
        return ended;
    }

    /** Returns whether it is stopping, or is dead. Loop-confined. */
    public boolean isEnding() {
        return stopping || hasFailed();
    }

    /** Returns whether it has more connections than it may serve. */
    boolean isFull() {
        return connections.size() > mostConnections;
    }

    /** Returns how the loop talks to the kernel. Any thread. */
    public TransportKind transport() {
        return transport.kind();
    }

    /**
     * Returns whether the caller may use objects that belong to this loop: true on the loop's
     * thread, and on a virtual thread that it runs now. Any thread.
     */
    public boolean inLoop() {
        Thread current = Thread.currentThread();
        return current == thread || virtualThreads.isRunning(current);
    }

    /**
     * Runs {@code task} on this loop, soon. Any thread.
     *
     * @throws RejectedExecutionException when the loop has ended, or a million tasks wait
     */
    @Override
    public void execute(Runnable task) {
        if (takesLocalTasks()) {
            local.add(task);
        } else if (!handOver(task, MAX_HANDED_OVER)) {
            throw new RejectedExecutionException(
                    ended.isDone() || fromOthers.isClosed()
                            ? "the loop has ended"
                            : "a million tasks wait for the loop");
        }
    }

    /**
     * Runs {@code task} on the loop's own thread, before it sends what is written by now: at the
     * end of this turn, and earlier in a long one. Loop-confined.
     *
     * @return false when the loop has ended, and the task does not run
     */
    public boolean executeBeforeFlush(Runnable task) {
        return !over && beforeFlush.add(task);
    }

    /**
     * Runs {@code task} when the thread of the loop has ended its work, at once if it has: what was
     * loop-confined may be touched then, by one task at a time. For code whose {@link #execute} was
     * rejected. Any thread.
     */
    public void whenEnded(Runnable task) {
        ended.thenRun(
                () -> {
                    synchronized (ended) {
                        task.run();
                    }
                });
    }

    /**
     * Closes TLS connections that have sent nothing yet, and runs {@code then} when no handshake of
     * a client is in progress any more, at once if none is. For a server that has stopped
     * accepting: handshakes that have begun are completed. Loop-confined.
     */
    public void drainHandshakes(Runnable then) {
        forEachProtocol(
                protocol -> {
                    if (protocol instanceof TlsLayer layer) {
                        layer.drain();
                    }
                });
        handshaken = then;
        handshakes(0);
    }

    /** Counts {@code more} handshakes that have begun, or that have ended if negative. */
    void handshakes(int more) {
        handshakes += more;
        Runnable then = handshaken;
        if (handshakes == 0 && then != null) {
            handshaken = null;
            then.run();
        }
    }

    /** Runs {@code task} once, {@code delayMillis} from now. Loop-confined. */
    public ScheduledTask schedule(long delayMillis, Runnable task) {
        var scheduled = new ScheduledTask(this, task);
        timers.arm(scheduled, millis + Math.min(delayMillis, Timer.NEVER - Math.max(0, millis)));
        return scheduled;
    }

    /**
     * Runs {@code task} once, when {@link #nanos} has reached {@code atNanos}: usually within a
     * tenth of a millisecond, where {@link #schedule} may be 16 ms late. It costs more and cannot
     * be cancelled. Loop-confined.
     */
    public void scheduleAt(long atNanos, Runnable task) {
        preciseTimers.add(atNanos, task);
    }

    /**
     * Opens a connection and calls {@code connector} with the outcome. Loop-confined.
     *
     * @throws RejectedExecutionException when the loop is stopping, or has died
     */
    public void connect(Destination to, Connector connector) {
        if (isEnding()) {
            throw new RejectedExecutionException(STOPPING);
        }
        if (Thread.currentThread() == thread) {
            connects.begin(to, connector);
        } else { // the arena of an attempt belongs to the loop's own thread, and this is another
            local.add(() -> connectSoon(to, connector));
        }
    }

    private void connectSoon(Destination to, Connector connector) {
        if (isEnding()) {
            connector.failed(new LoopStoppedException());
        } else {
            connects.begin(to, connector);
        }
    }

    /** Calls {@code action} with the protocol of each connection that has one. Loop-confined. */
    public void forEachProtocol(Consumer<? super Protocol> action) {
        connections.forEach(connection -> onProtocol(connection, action));
    }

    /**
     * Does the same for a few connections in this turn and the rest in turns to come, so that a
     * loop with very many does other work meanwhile. Connections that come meanwhile are left out.
     * Loop-confined.
     */
    public void forEachProtocolInTurns(Consumer<? super Protocol> action) {
        visitSome(connections.walk(), connection -> onProtocol(connection, action));
    }

    private static void onProtocol(Connection connection, Consumer<? super Protocol> action) {
        if (!connection.parked()) {
            action.accept(connection.protocol());
        }
    }

    /**
     * Returns whether the caller is the own thread of any loop, and must not block; false on a
     * virtual thread that a loop carries. Any thread.
     */
    public static boolean isLoopThread() {
        return THREADS.contains(Thread.currentThread());
    }

    /**
     * Returns whether the caller is a virtual thread, and not the own thread of a loop: it may wait
     * at little cost. Any thread.
     */
    public static boolean mayPark() {
        return Thread.currentThread().isVirtual() && !isLoopThread();
    }

    /**
     * Returns whether the caller is this loop's own thread, which must not block; false on a
     * virtual thread that it carries. Any thread.
     */
    public boolean isOwnThread() {
        return Thread.currentThread() == thread;
    }

    /** Returns whether the loop carries the virtual threads that it starts. Any thread. */
    public boolean carriesVirtualThreads() {
        return carries;
    }

    /**
     * Starts a virtual thread. Where {@linkplain #carriesVirtualThreads possible} this loop carries
     * it, and when called on the loop's thread it has run until it first blocked, or ended, when
     * this returns.
     */
    public Thread startVirtual(Runnable task) {
        return startMovable(null, task);
    }

    /**
     * Starts a virtual thread for a task of {@code kind}: carried by this loop as by {@link
     * #startVirtual(Runnable)}, unless the kind has blocked a loop before. A thread that the loop
     * carries stays there until it ends. Any thread.
     *
     * @param kind null for a task that stays on the loop whatever it does
     */
    public Thread startVirtual(TaskKind kind, Runnable task) {
        return carries(kind)
                ? virtualThreads.start(kind, false, task)
                : startOnJdkScheduler(kind, task);
    }

    /**
     * Does the same, but the thread runs with the tasks of this turn, behind its events, and not
     * before this returns. That costs less where many are started in one turn, since the loop's own
     * code is unmounted once for all of them. Any thread.
     *
     * @param kind null for a task that stays on the loop whatever it does
     */
    public Thread startVirtualInTurn(TaskKind kind, Runnable task) {
        return carries(kind)
                ? virtualThreads.startInTurn(kind, task)
                : startOnJdkScheduler(kind, task);
    }

    private static Thread startOnJdkScheduler(TaskKind kind, Runnable task) {
        return kind == null ? startElsewhere(task) : kind.startElsewhere(task);
    }

    /**
     * Starts a virtual thread on the JDK's scheduler. It has the context class loader of the caller
     * but, like all virtual threads of a loop, none of its inheritable thread-locals: the caller is
     * often the loop's own thread, where code of another client may have left some. Any thread.
     */
    public static Thread startElsewhere(Runnable task) {
        Thread thread = Thread.ofVirtual().inheritInheritableThreadLocals(false).unstarted(task);
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.start();
        return thread;
    }

    /**
     * Starts a virtual thread that this loop carries, if it can carry any. When its kind is found
     * to block loops, the thread continues on the JDK's scheduler after it has parked next, unless
     * it is between {@link #enter} and {@link #exit}. Any thread.
     *
     * @param kind null for a task that stays on the loop whatever it does
     */
    public Thread startMovable(TaskKind kind, Runnable task) {
        return carries ? virtualThreads.start(kind, true, task) : startElsewhere(task);
    }

    /**
     * Returns whether it would carry a virtual thread of this kind; null stands for a task that
     * stays on the loop. Any thread.
     */
    public boolean carries(TaskKind kind) {
        return carries && (kind == null || !kind.moved());
    }

    /**
     * Begins a section that touches what belongs to this loop: returns what {@link #inLoop} does,
     * and if that is true the caller stays on the loop until {@link #exit}. Any thread.
     */
    public boolean enter() {
        Thread current = Thread.currentThread();
        return current == thread || virtualThreads.enter(current);
    }

    /** Ends a section that {@link #enter} has begun. */
    public void exit() {
        virtualThreads.exit();
    }

    /**
     * Runs {@code task} between {@link #enter} and {@link #exit} when called on this loop; else
     * does nothing. Any thread.
     *
     * @return whether it was run
     */
    public boolean runInLoop(Runnable task) {
        if (!enter()) {
            return false;
        }
        try {
            task.run();
        } finally {
            exit();
        }
        return true;
    }

    /**
     * Tells the watchdog that this loop runs a task of {@code kind} from now on; {@code null} for
     * none. Loop-confined.
     *
     * @return what ran before, for {@link #endTask}
     */
    public TaskKind beginTask(TaskKind kind) {
        return virtualThreads.beginTask(kind);
    }

    /** Tells the watchdog that the task has ended, and what runs again. Loop-confined. */
    public void endTask(TaskKind before) {
        virtualThreads.endTask(before);
    }

    /**
     * Returns whether this turn has lasted for some milliseconds, by what the watchdog has seen:
     * then a protocol should leave the rest of its input to the next turn, so that others have
     * theirs. Costs next to nothing. Loop-confined.
     */
    public boolean isTurnLong() {
        return turns.isLong();
    }

    /** Implements {@link Connection#mustYield}. */
    boolean mustYield(Connection connection, int most) {
        if (servedLast != connection) {
            servedLast = connection;
            servedInARow = 0;
        }
        if (servedInARow == most || servedInARow > 0 && isTurnLong()) {
            return true;
        }
        servedInARow++;
        return false;
    }

    /**
     * Yields if the turn has lasted long, so that other connections are served and written output
     * is sent: for code that sends again and again and may never park. Does nothing except on a
     * virtual thread that this loop carries, outside of {@link #enter} and {@link #exit}.
     */
    public void yieldIfLong() {
        if (virtualThreads.isRunning(Thread.currentThread()) && flushQueue.isDue()) {
            Thread.yield();
        }
    }

    /** Returns the counters of the loop; they may be a turn apart. Any thread. */
    public LoopStats stats() {
        return new LoopStats(
                transport(),
                accepted,
                acceptFailures,
                connected,
                connections.size(),
                parked,
                bytesIn,
                bytesOut,
                turns.turns(),
                turns.busyNanos(),
                turns.longest(),
                chunks.bytes(),
                memory.used(),
                memory.limit(),
                memory.refused(),
                connectionsRefused,
                blockingTaskKinds);
    }

    @Override
    public String toString() {
        return thread.getName();
    }

    // ---- for the package

    TimerWheel timers() {
        return timers;
    }

    /** Returns the nanoseconds until a timer or a precise timer is due; -1 when there is none. */
    private long untilNext() {
        long millis = timers.untilNext();
        long ahead = millis < 0 ? Long.MAX_VALUE : millis * 1_000_000;
        if (!preciseTimers.isEmpty()) {
            ahead = Math.clamp(preciseTimers.next() - settings.clock.nanos(), 0, ahead);
        }
        return ahead == Long.MAX_VALUE ? -1 : ahead;
    }

    /** Returns the transport. */
    Transport ownTransport() {
        return transport;
    }

    CompletableFuture<Loop> start() {
        if (carrier != null) {
            carrier.start();
        } else {
            thread.start();
        }
        return started;
    }

    /** Returns whether the caller is the carrier itself, between two virtual threads. */
    boolean isCarrier() {
        return carrier != null && carrier.isCurrent();
    }

    /**
     * Lets other threads, the loop's virtual threads among them, run while there is no heap. On the
     * loop's own thread.
     */
    static void yieldWithoutHeap() {
        try {
            Thread.yield();
        } catch (OutOfMemoryError e) { // there is none for the stack of a virtual thread, either
            Thread.onSpinWait();
        }
    }

    /** Runs {@code task} on the platform thread; it must not throw. On the loop's thread. */
    void runOnCarrier(Runnable task) {
        if (carrier == null || !carrier.runUnmounted(task)) {
            task.run();
        }
    }

    /**
     * The JDK could not park the loop's code, or could not continue it, most likely for want of
     * heap: the loop is dead, and its thread cannot even end. On the carrier.
     */
    void lost(Throwable thrown) {
        death.setCause(thrown);
        over = true;
        THREADS.remove(thread);
        fromOthers.close(DROP);
        virtualThreads.close();
        LoopDeath.complete(ended, this);
        try {
            while (!virtualThreads.isEmpty()) { // others may wait for what these hold
                virtualThreads.abandonNext();
            }
        } finally {
            death.report();
        }
    }

    /** Aborts what is open and ends the thread. */
    CompletableFuture<Loop> stop() {
        handOver((Runnable) this::stopNow, Long.MAX_VALUE); // which fails if it is ending already
        return ended;
    }

    /**
     * Returns a scratch array of at least {@code size} bytes, which all connections of the loop
     * share.
     */
    byte[] slab(int size) {
        return size <= slab.length ? slab : new byte[size];
    }

    /** Returns what its TLS connections share. */
    TlsLoopContext tlsContext() {
        if (tlsContext == null) {
            tlsContext = new TlsLoopContext(this);
        }
        return tlsContext;
    }

    /** Queues {@code connection} to be flushed at the end of the turn. */
    void flushLater(Connection connection) {
        assert inLoop() : Thread.currentThread() + " writes to a connection of " + this;
        flushQueue.add(connection);
    }

    /** A datagram may wait to be sent, which the transport does when it submits. */
    void sentDatagram() {
        assert inLoop() : Thread.currentThread() + " sends a datagram of " + this;
        flushQueue.addDatagram();
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
        connections.add(connection);
        if (stopping) {
            connection.close(CloseCause.STOPPED);
        }
    }

    /** Gives up {@code connection}, from which nothing was read: another loop takes it over. */
    void handedOver(Connection connection) {
        accepted--; // counted there
        timers.cancel(connection);
        gone(connection);
    }

    void gone(Connection connection) {
        connections.remove(connection);
    }

    /** Reports what code called on the loop has thrown. Throws nothing itself. */
    void failed(Throwable thrown) {
        try {
            warn(LOG, "code called on " + this + " threw", thrown);
            settings.observer.callbackFailed(this, thrown);
        } catch (Throwable e) {
            observerThrew(e);
        }
    }

    /** Logs what an {@link Observer} has thrown, which has no other effect. Any thread. */
    static void observerThrew(Throwable thrown) {
        warn(LOG, OBSERVER_THREW, thrown);
    }

    /** Ends the loop after this turn: for an error that has left something half done. */
    void die(Throwable thrown) {
        fatal = thrown;
    }

    /**
     * Logs a warning and ignores errors of the logger, which must not end a loop: it may have to
     * open a file when there are no descriptors, or there may be no heap.
     */
    static void warn(LazyLogger log, String text, Throwable thrown) {
        try {
            log.get().log(Level.WARNING, text, thrown);
        } catch (Throwable e) {
            // nothing is left that could report it
        }
    }

    /** Has the JDK initialise what logs: during an error that fails, and then for good. */
    static void prepareLog() {
        try {
            LOG.get().isLoggable(Level.ERROR);
        } catch (Throwable e) {
            // it is looked for again
        }
    }

    /**
     * Returns the stack of what blocks the loop at this moment: of its own code if that waits, else
     * of the thread that it runs. Any thread.
     */
    StackTraceElement[] blockingStack() {
        return isWaiting() ? stackOf(thread) : stack();
    }

    private boolean isWaiting() {
        return isWaiting(thread);
    }

    /** Returns whether {@code thread} waits for a lock or for another thread. Any thread. */
    static boolean isWaiting(Thread thread) {
        return switch (thread.getState()) {
            case BLOCKED, WAITING, TIMED_WAITING -> true;
            case NEW, RUNNABLE, TERMINATED -> false;
        };
    }

    /** Returns the stack of the thread that the loop runs at this moment. Any thread. */
    StackTraceElement[] stack() {
        Thread carried = virtualThreads.running();
        return stackOf(carried != null ? carried : thread);
    }

    private StackTraceElement[] stackOf(Thread of) {
        try {
            return of.getStackTrace();
        } finally {
            if (carrier != null) {
                carrier.runAgain(); // without heap the JDK does not, and has kept it from running
            }
        }
    }

    /** Returns a number that stays the same as long as one run of a task goes on. Any thread. */
    long runs() {
        return virtualThreads.runs();
    }

    /** Returns the kind of the task that runs now, or null. Any thread. */
    TaskKind kind() {
        return virtualThreads.kind();
    }

    /** Returns whether the caller is on the loop, which has not ended. Any thread. */
    boolean takesLocalTasks() {
        return inLoop() && !over;
    }

    /** Another thread has made a virtual thread runnable. Any thread. */
    void virtualThreadRunnable() {
        wakeIfAsleep();
        if (carrier != null) {
            carrier.wake(); // the loop may wait for a lock, on its way to the kernel as well
        }
    }

    /** The loop as its transport sees it. */
    private final class View implements TransportLoop {
        @Override
        public Loop loop() {
            return Loop.this;
        }

        @Override
        public int loops() {
            return settings.loops;
        }

        @Override
        public Arena arena() {
            return arena;
        }

        @Override
        public long untilNext() {
            return toRelease.isEmpty() ? Loop.this.untilNext() : 0;
        }

        @Override
        public long lastTurnNanos() {
            return turns.last();
        }

        @Override
        public void flushIfLate() {
            Loop.this.flushIfLate();
        }

        @Override
        public boolean isTurnLong() {
            return Loop.this.isTurnLong();
        }

        @Override
        public byte[] slab(int size) {
            return Loop.this.slab(size);
        }

        @Override
        public void failed(Throwable thrown) {
            Loop.this.failed(thrown);
        }

        @Override
        public void runOnCarrier(Runnable task) {
            Loop.this.runOnCarrier(task);
        }

        @Override
        public void releaseAtTurnEnd(Connection connection) {
            try {
                toRelease.add(connection);
            } catch (OutOfMemoryError e) { // it would never be released
                die(e);
            }
        }

        @Override
        public void die(Throwable thrown) {
            Loop.this.die(thrown);
        }
    }

    // ---- the thread

    private void run() {
        try {
            schedulerStatistics = schedulerStatistics();
            readClock(System.nanoTime());
            timers = new TimerWheel(millis);
            transport = Transports.open(settings.transport, new View());
            mostConnections = settings.connectionsPerLoop(transport.kind());
        } catch (Throwable e) {
            fromOthers.close(DROP);
            virtualThreads.close();
            arena.close();
            started.completeExceptionally(e);
            ended.complete(this);
            return;
        }
        settings.clock.onLeap(
                () -> {
                    if (!ended.isDone()) {
                        leapt = true; // a turn that has read the clock may take the wake-up
                        transport.wake();
                    }
                });
        THREADS.add(thread);
        started.complete(this);
        try {
            while (!stopping || connections.size() > 0 || !connects.idle()) {
                turn();
            }
        } catch (Throwable e) {
            death.setCause(e);
        }
        turns.end(); // the last one, or the watchdog would find it long
        try {
            shutdown.run(hasFailed());
        } finally {
            LoopDeath.complete(ended, this);
            if (hasFailed()) {
                death.report();
            }
            shutdown.finish();
            THREADS.remove(thread);
        }
    }

    /**
     * Declares the loop dead, since it has not ended its turn for {@code millis}; it ends with the
     * turn. {@link LoopDeath#log} and {@link LoopDeath#notifyOwner} are to follow. The watchdog's
     * thread; takes no lock.
     */
    void stall(long millis) {
        var stalled =
                new LoopStalledException(
                        this + " has not ended its turn for " + millis + " ms", stackOf(thread));
        for (Thread each : virtualThreads.visible()) {
            stalled.addSuppressed(
                    new LoopStalledException(
                            "a virtual thread of the loop, " + each.getState(),
                            each.getStackTrace()));
        }
        fatal = stalled;
        death.setCause(stalled);
    }

    private void turn() throws Throwable {
        boolean idle =
                local.isEmpty()
                        && beforeFlush.isEmpty()
                        && virtualThreads.isEmpty()
                        && flushQueue.isEmpty()
                        && !leapt;
        if (idle) {
            idle =
                    SLEEP.compareAndSet(this, AWAKE, ASLEEP)
                            && fromOthers.isEmpty()
                            && virtualThreads.noneUnparked();
        }
        turns.end();
        servedLast = null; // it may have closed, and nothing else may hold it
        transport.await(idle);
        if (sleep == ASLEEP) {
            SLEEP.compareAndSet(this, ASLEEP, AWAKE);
        }
        long begun = System.nanoTime();
        readClock(begun);
        flushQueue.restart(begun);
        turns.begin(begun);
        if (watchdog != null) {
            watchdog.turnBegins();
        }
        transport.dispatch();
        fromOthers.drain(takeOver);
        virtualThreads.takeUnparked();
        runTasks();
        timers.advance(millis);
        preciseTimers.runDue(nanos, runTask);
        runBeforeFlush();
        flushQueue.flush();
        releaseClosed();
        relief.relieveIfExceeded();
        if (carrier != null) {
            carrier.reportWaits();
            virtualThreads.reportThrown();
        }
        if (fatal != null) {
            throw fatal;
        }
    }

    private static Path schedulerStatistics() {
        try {
            Path self = Files.readSymbolicLink(Path.of("/proc/thread-self")); // 12/task/34
            Path file = Path.of("/proc").resolve(self).resolve("schedstat");
            return Files.isReadable(file) ? file : null;
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    /**
     * Sets {@link #nanos} and {@link #millis} by the loop's clock. That of the system is {@code
     * now}, which the caller has just read from {@link System#nanoTime}.
     */
    private void readClock(long now) {
        if (leapt) { // a volatile write only when necessary
            leapt = false;
        }
        nanos = settings.clock == Clock.system() ? now : settings.clock.nanos();
        millis = nanos / 1_000_000;
    }

    /**
     * Runs tasks and virtual threads: all that wait now, or until the turn is long, since what has
     * come in, and the watchdog, must not wait for very many.
     */
    void runTasks() {
        for (int n = local.size(); n > 0; n--) { // those they add in turn wait for the next turn
            flushIfLate();
            runTask(local.poll());
            if (isTurnLong()) {
                break;
            }
        }
        for (int n = virtualThreads.size(); n > 0; ) {
            flushIfLate();
            n -= virtualThreads.runFirst(n);
            if (isTurnLong()) {
                break;
            }
        }
    }

    /** Runs what is to come before the output of this turn. */
    void runBeforeFlush() {
        for (int n = beforeFlush.size(); n > 0; n--) {
            runTask(beforeFlush.poll());
        }
    }

    void releaseClosed() {
        for (int n = toRelease.size(); n > 0; n--) { // those closed meanwhile: in the next turn
            try {
                toRelease.poll().gone();
            } catch (Throwable e) {
                failed(e);
            }
            if (isTurnLong()) {
                break;
            }
        }
    }

    private void runTask(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            failed(e);
        }
    }

    /**
     * Sends written output if the turn has lasted long: called between two pieces of work, where
     * the loop's state is consistent. A turn that has written nothing so far does not read the
     * clock.
     */
    private void flushIfLate() {
        if (isFlushDue()) {
            runBeforeFlush();
            flushQueue.flush();
            transport.submit();
            flushQueue.restart(System.nanoTime());
        }
    }

    /** Returns whether output waits that is to be sent before other work is done. */
    boolean isFlushDue() {
        return !flushQueue.isEmpty() && flushQueue.isDue();
    }

    private void stopNow() {
        if (stopping) {
            return;
        }
        stopping = true;
        connects.giveUp();
        visitSome(connections.walk(), connection -> connection.close(CloseCause.STOPPED));
    }

    /** Visits a few connections in this turn, and the rest of them in turns to come. */
    private void visitSome(LoopConnections.Walk walk, Consumer<Connection> action) {
        try {
            walk.visit(VISITED_PER_TURN, action);
        } finally { // a failure at one does not spare the others
            if (walk.hasMore()) {
                local.add(() -> visitSome(walk, action));
            }
        }
    }

    private boolean handOver(Runnable task, long limit) {
        if (!fromOthers.offer(task, limit)) {
            return false;
        }
        wakeIfAsleep();
        return true;
    }

    /** Ends the wait for the kernel, if the loop is in one. Any thread. */
    private void wakeIfAsleep() {
        if (sleep == ASLEEP && SLEEP.compareAndSet(this, ASLEEP, WAKING)) {
            try {
                transport.wake(); // by one thread at a time: the JDK takes a lock in a selector
            } finally {
                sleep = AWAKE;
            }
        }
    }

    private void takeOver(Runnable task) {
        local.add(task);
    }

    private static VarHandle field(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(Loop.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}

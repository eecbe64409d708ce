// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.transport.DatagramSocket;
import io.sirocco.net.transport.ListeningSocket;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.ConnectException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/** A group of event loops. Two groups in one JVM share nothing. Any thread. */
public final class Loops implements AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(Loops.class);
    private static final Duration STOP_ROUND = Duration.ofSeconds(10);

    /** So many connections are closed in a round even if the machine has much else to do. */
    private static final int CLOSED_PER_ROUND = 50_000;

    /** Read before the first native call, which would count as allowed from then on. */
    private static final JvmOptions JVM_OPTIONS = JvmOptions.ofThisJvm();

    private final List<Loop> all;
    private final Watchdog watchdog;
    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
    private final AtomicInteger turn = new AtomicInteger();
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

    private Loops(List<Loop> all, Watchdog watchdog) {
        this.all = all;
        this.watchdog = watchdog;
        all.forEach(loop -> loop.death.notified().thenAccept(failure::complete));
    }

    /**
     * Returns a future that completes with the error that has ended one of the loops, or with a
     * {@link LoopStalledException}; never when all are stopped. A group with a dead loop serves
     * only a part of its connections: stop it, and start another one or end the process. Dependent
     * stages must not block, since the dying loop may run them.
     */
    public CompletableFuture<Throwable> failure() {
        return failure.copy();
    }

    /**
     * Returns whether one of the loops has died. For a thread that checks now and then: it
     * allocates nothing, while {@link #failure} needs heap, which may be exhausted.
     */
    public boolean hasFailed() {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).hasFailed()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Starts loops; {@link #close} stops them.
     *
     * @throws IOException when the transport is not available
     */
    public static Loops start(Consumer<Settings> configure) throws IOException {
        var settings = new Settings();
        configure.accept(settings);
        List<Loop> loops = startAll(settings);
        if (loops.stream().map(Loop::transport).distinct().count() > 1) {
            loops.forEach(Loop::stop);
            settings.transport = worst(loops); // one loop got a ring, and another none
            loops = startAll(settings);
        }
        JVM_OPTIONS.report(LOG, LoopVirtualThread.AVAILABLE);
        var watchdog = new Watchdog(loops, settings);
        watchdog.start();
        return new Loops(loops, watchdog);
    }

    private static TransportKind worst(List<Loop> loops) {
        return loops.stream().map(Loop::transport).max(Comparator.naturalOrder()).orElseThrow();
    }

    /** Side by side, since each has some milliseconds to wait for its ring. */
    private static List<Loop> startAll(Settings settings) throws IOException {
        var loops = new ArrayList<Loop>();
        for (int i = 0; i < settings.loops; i++) {
            loops.add(new Loop(i, settings));
        }
        try {
            loops.stream().map(Loop::start).toList().forEach(CompletableFuture::join);
            return List.copyOf(loops);
        } catch (CompletionException e) {
            loops.forEach(Loop::stop);
            throw e.getCause() instanceof IOException io
                    ? io
                    : new IOException("a loop cannot start", e.getCause());
        }
    }

    /**
     * Links the calls into the C library, where there is one. Optional: the first start in a JVM
     * spends most of its time on that, so a program with other work to do before it starts its
     * loops calls this on a thread of its own.
     */
    public static void prepare() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return;
        }
        try {
            Linux.openFilesLimit();
        } catch (LinkageError | IllegalCallerException e) {
            // said when a loop asks for them
        }
    }

    /**
     * Returns whether loops carry the virtual threads that they start, in this JVM with its
     * options.
     */
    public static boolean carriesVirtualThreads() {
        return LoopVirtualThread.AVAILABLE;
    }

    /** Returns all loops, in order. */
    public List<Loop> all() {
        return all;
    }

    /** Returns the loops in turn, round-robin. */
    public Loop next() {
        return all.get(Math.floorMod(turn.getAndIncrement(), all.size()));
    }

    /** Listens with the default options. */
    public Listener listen(SocketAddress address, Acceptor acceptor) throws IOException {
        return listen(address, options -> {}, acceptor);
    }

    /**
     * Accepts connections on {@code address}: an Internet address, whose port may be 0 for any, or
     * a Unix-domain one. A file that a killed process has left, of a Unix-domain socket without a
     * listener, is replaced.
     *
     * @throws IOException when the address cannot be bound; nothing is left open
     */
    public Listener listen(
            SocketAddress address, Consumer<Listener.Options> configure, Acceptor acceptor)
            throws IOException {
        var options = new Listener.Options();
        configure.accept(options);
        var listener = new Listener(options, options.over(acceptor));
        boolean shared = all.size() > 1 && canShare(address);
        if (shared) {
            refuseIfTaken(address, options);
        } else if (address instanceof UnixDomainSocketAddress unix) {
            removeStale(unix);
        }
        List<LoopAcceptor> acceptors = bind(listener, address, shared);
        LoopAcceptor.group(List.copyOf(acceptors), options, !shared && all.size() > 1);
        try {
            for (LoopAcceptor each : acceptors.reversed()) { // the one that spreads them comes last
                listener.add(each);
                call(
                        each.loop(),
                        () -> {
                            each.listen();
                            return null;
                        });
            }
        } catch (IOException | RuntimeException e) {
            close(acceptors);
            listener.closed(); // removes the file of a Unix-domain socket
            throw e;
        }
        listeners.add(listener);
        return listener;
    }

    /** One acceptor for each loop, each with a socket of its own if the address can be shared. */
    private List<LoopAcceptor> bind(Listener listener, SocketAddress address, boolean shared)
            throws IOException {
        var acceptors = new ArrayList<LoopAcceptor>();
        try {
            for (Loop loop : all) {
                SocketAddress at = acceptors.isEmpty() ? address : listener.address();
                ListeningSocket socket =
                        acceptors.isEmpty() || shared
                                ? call(
                                        loop,
                                        () ->
                                                loop.ownTransport()
                                                        .bind(at, listener.options.backlog, shared))
                                : LoopAcceptor.NO_SOCKET;
                acceptors.add(new LoopAcceptor(loop, listener, socket));
                if (acceptors.size() == 1) {
                    bound(listener, call(loop, socket::address));
                }
            }
            return acceptors;
        } catch (IOException | RuntimeException e) {
            close(acceptors);
            throw e;
        }
    }

    private static void close(List<LoopAcceptor> acceptors) throws IOException {
        for (LoopAcceptor acceptor : acceptors) {
            call(
                    acceptor.loop(),
                    () -> {
                        acceptor.closeNow();
                        return null;
                    });
        }
    }

    private void bound(Listener listener, SocketAddress address) {
        listener.bound(
                address,
                () -> {
                    listeners.remove(listener);
                    removeFile(address);
                });
    }

    /** Binds a UDP socket with the default options. */
    public Datagrams datagrams(InetSocketAddress address, Datagrams.Receiver receiver)
            throws IOException {
        return datagrams(address, options -> {}, receiver);
    }

    /**
     * Binds a UDP socket on one of the loops, which are used in turn.
     *
     * @throws IOException when the address cannot be bound
     */
    public Datagrams datagrams(
            InetSocketAddress address,
            Consumer<Datagrams.Options> configure,
            Datagrams.Receiver receiver)
            throws IOException {
        var options = new Datagrams.Options();
        configure.accept(options);
        Loop loop = next();
        return call(
                loop,
                () -> {
                    DatagramSocket socket =
                            loop.ownTransport()
                                    .bindDatagrams(
                                            address, options.broadcast, options.reuseAddress);
                    try {
                        var datagrams = new Datagrams(loop, socket, receiver);
                        datagrams.open();
                        return datagrams;
                    } catch (IOException | RuntimeException | OutOfMemoryError e) {
                        socket.close();
                        throw e;
                    }
                });
    }

    /**
     * Aborts all connections, closes all listeners, ends the threads and waits for them: for ten
     * seconds at most, and for ten more for each 50,000 connections as long as their number falls.
     * Does not wait when the caller is one of the loops, nor for a loop that is dead because it did
     * not end its turn; but for three seconds until the log has why a loop died.
     */
    @Override
    public void close() {
        watchdog.close();
        all.forEach(Loop::stop);
        CompletableFuture<?>[] ended =
                all.stream()
                        .filter(loop -> !loop.hasStalled())
                        .map(Loop::ended)
                        .toArray(CompletableFuture[]::new);
        if (all.stream().anyMatch(Loop::isOwnThread)) {
            CompletableFuture.allOf(ended)
                    .thenRun(() -> List.copyOf(listeners).forEach(Listener::closed));
            return;
        }
        try {
            awaitEnd(CompletableFuture.allOf(ended), this::connections, STOP_ROUND);
            for (Loop each : all) { // or a process that ends with this would not tell
                if (!each.death.awaitLog()) {
                    break;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        List.copyOf(listeners).forEach(Listener::closed);
    }

    private int connections() {
        return all.stream().mapToInt(loop -> loop.stats().connections()).sum();
    }

    /**
     * Waits in rounds until all have ended, and logs what is left after each.
     *
     * @return false when it has given up: too much time has passed, or a round has closed nothing
     */
    static boolean awaitEnd(CompletableFuture<?> ended, IntSupplier connections, Duration round)
            throws InterruptedException {
        int left = connections.getAsInt();
        int rounds = 1 + left / CLOSED_PER_ROUND;
        for (int i = 1; ; i++) {
            try {
                ended.get(round.toMillis(), TimeUnit.MILLISECONDS);
                return true;
            } catch (ExecutionException e) {
                LOG.get().log(Level.WARNING, "a loop has ended by a failure", e.getCause());
                return false;
            } catch (TimeoutException e) {
                int before = left;
                left = connections.getAsInt();
                Object[] facts = {i * round.toSeconds(), left};
                if (i >= rounds || left >= before) {
                    String text = "a loop has not ended within {0} s; connections left: {1}";
                    LOG.get().log(Level.WARNING, text, facts);
                    return false;
                }
                String text = "closing connections: {1} are left after {0} s";
                LOG.get().log(Level.INFO, text, facts);
            }
        }
    }

    /** Only Linux spreads the connections of one address over several sockets. */
    private static boolean canShare(SocketAddress address) {
        return address instanceof InetSocketAddress
                && System.getProperty("os.name").equals("Linux");
    }

    /**
     * An address that is shared among loops would be shared with another server as well, so ask
     * first, by a socket that does not listen: a connection to one that does, and is closed, would
     * be reset.
     */
    private void refuseIfTaken(SocketAddress address, Listener.Options options) throws IOException {
        var at = (InetSocketAddress) address;
        if (at.getPort() != 0 && isTaken(at)) {
            Loop loop = all.getFirst();
            call(
                    loop,
                    () -> { // which says what is wrong
                        loop.ownTransport().bind(address, options.backlog, false).close();
                        return null;
                    });
        }
    }

    private static boolean isTaken(InetSocketAddress address) {
        boolean v6 = address.getAddress() instanceof Inet6Address;
        try (var socket =
                SocketChannel.open(
                        v6 ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET)) {
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(address);
            return false;
        } catch (IOException | RuntimeException e) { // unresolved, or no IPv6
            return true;
        }
    }

    /**
     * Removes a socket file that refuses connections: its process has ended without removing it.
     * Any other file, and a socket that somebody listens on, stays and makes the bind fail.
     */
    private static void removeStale(UnixDomainSocketAddress address) {
        try {
            Object before = socketFile(address.getPath());
            if (before != null
                    && refusesConnections(address)
                    && before.equals(socketFile(address.getPath()))) {
                Files.delete(address.getPath());
            }
        } catch (IOException e) {
            // it stays, and the bind says why
        }
    }

    /** Returns the key of a file if it is a socket, or null. */
    private static Object socketFile(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        var file = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return file.isOther() ? file.fileKey() : null;
    }

    private static boolean refusesConnections(UnixDomainSocketAddress address) throws IOException {
        try (var socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.configureBlocking(false); // the backlog of a busy server may be full
            socket.connect(address);
            return false;
        } catch (ConnectException e) {
            return true;
        }
    }

    private static void removeFile(SocketAddress address) {
        if (address instanceof UnixDomainSocketAddress unix) {
            try {
                Files.deleteIfExists(unix.getPath());
            } catch (IOException e) {
                // it stays, and the next to bind there is told
            }
        }
    }

    private static <T> T call(Loop loop, Callable<T> question) throws IOException {
        var answer = new CompletableFuture<T>();
        Runnable task =
                () -> {
                    try {
                        answer.complete(question.call());
                    } catch (Throwable e) {
                        answer.completeExceptionally(e);
                    }
                };
        if (loop.isOwnThread()) {
            task.run();
        } else {
            loop.execute(task);
        }
        try {
            return answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof IOException io) {
                throw io;
            }
            throw new IOException(e.getCause());
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.transport.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** What a test of one transport needs: loops, listeners and peers, all closed behind it. */
public final class Rig implements AutoCloseable {
    private static final boolean URING = probe();

    public final TransportKind transport;

    /** What the observer was told. */
    public final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    private final Deque<Open> open = new ArrayDeque<>();
    private Loops loops;

    /** The test is skipped where the kernel has no io_uring. */
    public Rig(TransportKind transport) {
        if (transport == TransportKind.IO_URING && !URING) {
            abort("no io_uring here");
        }
        this.transport = transport;
    }

    private static boolean probe() {
        try (Loops _ = Loops.start(s -> s.loops(1).transport(TransportKind.IO_URING))) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** One loop, unless {@link #start} was called. */
    public Loops loops() {
        try {
            return loops == null ? start(s -> s.loops(1)) : loops;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The first one. */
    public Loop loop() {
        return loops().all().getFirst();
    }

    /** Returns the transport of its loop. */
    public Transport transport() {
        return transport(loop());
    }

    /** Returns the transport of {@code loop}. */
    public static Transport transport(Loop loop) {
        return loop.ownTransport();
    }

    public LoopStats stats() {
        return loop().stats();
    }

    public Loops start(Consumer<Settings> configure) throws IOException {
        loops =
                closes(
                        Loops.start(
                                s -> {
                                    s.transport(transport)
                                            .observer(new Failures())
                                            .longTurnMillis(0);
                                    configure.accept(s);
                                }));
        return loops;
    }

    private final class Failures implements Observer {
        @Override
        public void callbackFailed(Loop loop, Throwable thrown) {
            failures.add(thrown);
        }
    }

    public Listener listen(Acceptor acceptor) throws IOException {
        return listen(options -> {}, acceptor);
    }

    public Listener listen(Consumer<Listener.Options> configure, Acceptor acceptor)
            throws IOException {
        return loops().listen(anyPort(), configure, acceptor);
    }

    public Peer connect(Listener listener) throws IOException {
        return closes(Peer.to(listener.address()));
    }

    public Peer closes(Peer peer) {
        open.push(peer::close);
        return peer;
    }

    public Loops closes(Loops started) {
        open.push(started::close);
        return started;
    }

    private interface Open {
        void close() throws IOException;
    }

    public static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
    }

    /** What {@code question} answers when it is asked on {@code loop}. */
    public static <T> T ask(Loop loop, Callable<T> question) {
        var answer = new CompletableFuture<T>();
        loop.execute(
                () -> {
                    try {
                        answer.complete(question.call());
                    } catch (Throwable e) {
                        answer.completeExceptionally(e);
                    }
                });
        return get(answer);
    }

    public static void on(Loop loop, Runnable task) {
        ask(
                loop,
                () -> {
                    task.run();
                    return null;
                });
    }

    /** Lets the loop finish the turn that it is in, and the one that follows. */
    public static void settle(Loop loop) {
        for (int i = 0; i < 3; i++) {
            on(loop, () -> {});
        }
    }

    public static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(20, TimeUnit.SECONDS).join();
    }

    /** Waits until {@code condition} holds, twenty seconds at most. */
    public static void until(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, () -> "still not: " + what);
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Bytes in which each place can be told from the next. */
    public static byte[] pattern(int length) {
        var bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = patternAt(i);
        }
        return bytes;
    }

    public static byte patternAt(long i) {
        return (byte) (i * 31 + (i >> 8) * 7 + (i >> 16));
    }

    /**
     * Bytes that the platform thread of {@code loop} has allocated; by reflection, as the module
     * has no java.management.
     */
    static long allocatedBy(Loop loop) {
        try {
            var factory = Class.forName("java.lang.management.ManagementFactory");
            var threads = factory.getMethod("getThreadMXBean").invoke(null);
            return (long)
                    Class.forName("com.sun.management.ThreadMXBean")
                            .getMethod("getThreadAllocatedBytes", long.class)
                            .invoke(threads, platformThread(loop).threadId());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the platform thread of {@code loop}, which carries its code. */
    static Thread platformThread(Loop loop) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(loop.toString()))
                .findFirst()
                .orElseThrow();
    }

    public static int openDescriptors() {
        try (var list = Files.list(Path.of("/proc/self/fd"))) {
            return (int) list.count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Has the system report ICMP errors of a socket's datagrams (IP_RECVERR), which it does by
     * failing a later call about others.
     */
    public static void reportUnreachablePeers(Datagrams datagrams) throws IOException {
        final int ipRecvErr = 11;
        int descriptor = descriptorOf(datagrams);
        assertEquals(0, Linux.setOption(descriptor, Linux.IPPROTO_IP, ipRecvErr, 1));
    }

    /** Returns the descriptor whose socket has the inode that the system lists for the port. */
    private static int descriptorOf(Datagrams datagrams) throws IOException {
        String port = String.format(":%04X", datagrams.address().getPort());
        for (String line : Files.readAllLines(Path.of("/proc/self/net/udp"))) {
            String[] columns = line.trim().split(" +");
            if (columns[1].endsWith(port)) {
                String name = "socket:[" + columns[9] + "]";
                try (var all = Files.list(Path.of("/proc/self/fd"))) {
                    for (Path each : all.filter(Files::isSymbolicLink).toList()) {
                        if (name.equals(Files.readSymbolicLink(each).toString())) {
                            return Integer.parseInt(each.getFileName().toString());
                        }
                    }
                }
            }
        }
        throw new AssertionError("no descriptor of " + datagrams.address());
    }

    @Override
    public void close() throws IOException {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }
}

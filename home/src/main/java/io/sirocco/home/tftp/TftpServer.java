// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import io.sirocco.net.Datagrams;
import io.sirocco.net.Loops;
import io.sirocco.net.OpenFile;
import io.sirocco.net.ScheduledTask;
import io.sirocco.net.log.LazyLogger;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;

/**
 * A TFTP server (RFC 1350) for the files of a controller. It serves the one host that was {@link
 * #admit admitted}, and ends by itself some time after the last transfer.
 *
 * <p>Each transfer has a socket and a virtual thread of its own, which also reads or writes the
 * file. Any thread.
 */
public final class TftpServer implements AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(TftpServer.class);

    private final Loops loops;
    private final InetAddress address;
    private final RootFiles files;
    private final TftpSettings settings;
    private final Semaphore lingering;
    private final Set<TransferSocket> sockets = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile boolean closed;
    private volatile InetAddress admitted; // null: nobody
    private volatile Datagrams datagrams; // set before start returns
    private final Set<Active> active = new HashSet<>(); // loop-confined
    private ScheduledTask idle; // loop-confined

    private TftpServer(Loops loops, InetAddress address, Path root, TftpSettings settings) {
        this.loops = loops;
        this.address = address;
        this.files = new RootFiles(root, settings);
        this.settings = settings;
        this.lingering = new Semaphore(settings.maxTransfers());
    }

    /**
     * Binds a port, 0 for any. Nobody is admitted yet. Blocks; not for the thread of a loop.
     *
     * @throws IOException when the port cannot be bound, or {@code root} cannot be read
     */
    public static TftpServer start(
            Loops loops, InetAddress address, int port, Path root, TftpSettings settings)
            throws IOException {
        var server = new TftpServer(loops, address, root, settings);
        server.files.deleteLeftovers();
        server.datagrams = loops.datagrams(new InetSocketAddress(address, port), server::received);
        server.datagrams.loop().execute(server::used);
        return server;
    }

    /** Returns the address that it is bound to. */
    public InetSocketAddress address() {
        return datagrams.address();
    }

    /** Returns a future that completes when the server has ended. */
    public CompletableFuture<Void> ended() {
        return ended.copy();
    }

    /**
     * Admits one host from now on, and no other; begins the time after which the server ends anew.
     *
     * @return false when the server has ended
     */
    public boolean admit(InetAddress host) {
        admitted = host;
        return onLoop(this::used) && !closed;
    }

    private boolean onLoop(Runnable task) {
        try {
            datagrams.loop().execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false; // the loop has ended, and closed everything
        }
    }

    private void used() {
        if (idle != null) {
            idle.cancel();
        }
        if (!closed) {
            idle = datagrams.loop().schedule(settings.idleTimeout().toMillis(), this::idleTooLong);
        }
    }

    private void idleTooLong() {
        if (active.isEmpty()) {
            close();
        } else {
            used();
        }
    }

    private void received(Datagrams own, byte[] bytes, int length, InetSocketAddress from) {
        boolean welcome = from.getAddress().equals(admitted);
        switch (Packet.parse(bytes, length)) {
            case Packet.Request request when !welcome ->
                    refuse(own, from, TftpError.ACCESS_VIOLATION, "Access violation");
            case Packet.Request request -> begin(own, from, request);
            case Packet.Invalid _ when welcome ->
                    refuse(own, from, TftpError.ILLEGAL_OPERATION, "Illegal TFTP operation");
            case Packet.Invalid _, Packet.Data _, Packet.Ack _, Packet.Failure _ -> {} // stray
        }
    }

    private static void refuse(Datagrams own, InetSocketAddress to, TftpError error, String text) {
        byte[] packet = new Packet.Failure(error.ordinal(), text).bytes();
        try {
            own.send(packet, packet.length, to);
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "cannot refuse a TFTP request of {0}: {1}", to, e);
        }
    }

    private void begin(Datagrams own, InetSocketAddress from, Packet.Request request) {
        if (closed || active.stream().anyMatch(each -> each.isRepeatedBy(from, request))) {
            return;
        }
        long ofHost = active.stream().filter(each -> each.isOf(from.getAddress())).count();
        if (active.size() >= settings.maxTransfers() || ofHost >= settings.maxTransfersPerHost()) {
            refuse(own, from, TftpError.NOT_DEFINED, "Too many transfers");
            return;
        }
        var begun = new Active(from, request);
        active.add(begun);
        used();
        Thread.ofVirtual().name("sirocco-home-tftp").start(() -> serve(begun));
    }

    private void serve(Active active) {
        try (var socket = TransferSocket.open(loops, address, active.from, true, settings)) {
            active.socket = socket;
            sockets.add(socket);
            if (closed) {
                socket.end("Server ends");
            }
            try {
                transfer(active, socket);
            } finally {
                sockets.remove(socket);
            }
        } catch (IOException e) {
            LOG.get().log(Level.WARNING, "no TFTP transfer with {0}: {1}", active.from, e);
        } finally {
            over(active);
        }
    }

    private void transfer(Active active, TransferSocket socket) {
        Packet.Request request = active.request;
        var transfer = new Transfer(socket, settings);
        try {
            if (request.write()) {
                int last = receive(transfer, request);
                over(active); // its client may begin the next one as soon as it knows
                Object[] facts = {active.from.getAddress().getHostAddress(), request.file()};
                LOG.get().log(Level.INFO, "{0} has written {1} by TFTP", facts);
                transfer.acknowledge(last);
                linger(transfer, last);
            } else {
                send(transfer, request);
            }
        } catch (TftpException e) {
            transfer.fail(e);
            Throwable cause = e.getCause();
            Object[] facts = {
                request.file(),
                active.from,
                cause == null ? e.getMessage() : e.getMessage() + ": " + cause
            };
            Level level = cause == null ? Level.DEBUG : Level.WARNING;
            LOG.get().log(level, "TFTP transfer of {0} with {1}: {2}", facts);
        } catch (IOException | RuntimeException e) {
            transfer.fail(new TftpException(TftpError.NOT_DEFINED, "Internal error"));
            Object[] facts = {request.file(), active.from, e};
            LOG.get().log(Level.WARNING, "TFTP transfer of {0} with {1} failed: {2}", facts);
        }
    }

    private void send(Transfer transfer, Packet.Request request) throws IOException {
        OpenFile file = files.open(request.file());
        try {
            InputStream content = new BufferedInputStream(new FileStream(file));
            transfer.send(
                    null, request.mode() == Mode.NETASCII ? NetAscii.encoded(content) : content);
        } finally {
            file.release();
        }
    }

    private int receive(Transfer transfer, Packet.Request request) throws IOException {
        try (Upload upload = files.create(request.file())) {
            OutputStream target = upload.stream();
            return transfer.receive(
                    null, request.mode() == Mode.NETASCII ? NetAscii.decoded(target) : target);
        }
    }

    private void linger(Transfer transfer, int last) throws IOException {
        if (lingering.tryAcquire()) {
            try {
                transfer.linger(last);
            } finally {
                lingering.release();
            }
        }
    }

    private void over(Active over) {
        onLoop(
                () -> {
                    if (active.remove(over)) {
                        used();
                    }
                });
    }

    /** Ends all transfers and frees the port. Waits for that, except on the loop of the port. */
    @Override
    public void close() {
        closed = true;
        sockets.forEach(socket -> socket.end("Server ends"));
        datagrams.close();
        onLoop(this::used);
        ended.complete(null);
    }

    /** A transfer until its file is complete. Loop-confined, except for the socket. */
    private static final class Active {
        private final InetSocketAddress from;
        private final Packet.Request request;
        private volatile TransferSocket socket; // null at first

        Active(InetSocketAddress from, Packet.Request request) {
            this.from = from;
            this.request = request;
        }

        boolean isOf(InetAddress host) {
            return from.getAddress().equals(host);
        }

        /**
         * Returns whether a request was sent again because the response to it is late; that will be
         * sent again, too. A client that has responded since begins another transfer on that port.
         */
        boolean isRepeatedBy(InetSocketAddress again, Packet.Request same) {
            TransferSocket opened = socket;
            return from.equals(again)
                    && request.equals(same)
                    && (opened == null || !opened.hasReceived());
        }
    }

    /** An open file as a stream. Used by one thread. */
    private static final class FileStream extends InputStream {
        private final OpenFile file;
        private long position;

        FileStream(OpenFile file) {
            this.file = file;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int at, int length) throws IOException {
            int n = file.read(into, at, length, position);
            position += n;
            return n == 0 && length > 0 ? -1 : n;
        }
    }
}

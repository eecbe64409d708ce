// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A client that sends bytes exactly as it is told and remembers all that comes back. It waits by
 * looking again and again, and gives up after {@link #PATIENCE}. Used by one thread.
 */
final class Client implements AutoCloseable {
    /** Nanoseconds after which something that should have happened has not. */
    private static final long PATIENCE = 30_000_000_000L;

    private final Server server;
    private final SocketChannel channel;
    private final TlsLink tls; // null for none
    private final ByteBuffer buffer = ByteBuffer.allocate(64 << 10);
    private final Received received = new Received();
    private final long bytesInBefore;
    private long sent;
    private boolean ended;
    private boolean reset;

    /** Bytes that can be looked at without a copy of all of them. */
    private static final class Received extends ByteArrayOutputStream {
        byte[] array() {
            return buf;
        }

        /** Where {@code end} begins at or after {@code from}; -1 when it does not. */
        int find(byte[] end, int from) {
            for (int i = Math.max(0, from); i <= count - end.length; i++) {
                if (Arrays.equals(buf, i, i + end.length, end, 0, end.length)) {
                    return i;
                }
            }
            return -1;
        }
    }

    Client(Server server) {
        this(server, 0, false);
    }

    /** One with a receive buffer of so many bytes, if not 0. */
    Client(Server server, int receiveBuffer) {
        this(server, receiveBuffer, false);
    }

    /** One that speaks HTTPS, if so. */
    Client(Server server, int receiveBuffer, boolean secure) {
        this.server = server;
        this.bytesInBefore = bytesIn();
        try {
            channel = SocketChannel.open();
            if (receiveBuffer > 0) {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, receiveBuffer);
            }
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.connect(new InetSocketAddress("127.0.0.1", server.port()));
            channel.configureBlocking(false);
            tls = secure ? new TlsLink(channel) : null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long bytesIn() {
        return server.stats().stream().mapToLong(stats -> stats.net().bytesIn()).sum();
    }

    /** The bytes of a text block: its lines end with CRLF, the sign ␊ stands for a bare LF. */
    static byte[] bytes(String block) {
        return block.replace("\n", "\r\n").replace('␊', '\n').getBytes(ISO_8859_1);
    }

    Client send(String block) {
        return send(bytes(block));
    }

    Client send(byte[] bytes) {
        return send(bytes, 0, bytes.length);
    }

    /** Sends, and reads when there is something; stops when the server has ended. */
    Client send(byte[] bytes, int from, int to) {
        ByteBuffer rest = ByteBuffer.wrap(bytes, from, to - from);
        await("the server to take what is sent", () -> ended || written(rest));
        return this;
    }

    private boolean written(ByteBuffer rest) {
        boolean flushed = true;
        try {
            if (tls == null) {
                sent += channel.write(rest);
            } else {
                if (rest.hasRemaining()) {
                    tls.write(rest);
                }
                flushed = tls.flushed();
                sent = tls.sent();
            }
        } catch (IOException e) {
            reset = true;
            ended = true;
        }
        boolean done = flushed && !rest.hasRemaining();
        if (!done) {
            read();
        }
        return done;
    }

    /** Sends what the socket takes at once, without reading; answers how much that was. */
    int sendDeaf(byte[] bytes, int from, int to) throws IOException {
        int n = channel.write(ByteBuffer.wrap(bytes, from, to - from));
        sent += n;
        return n;
    }

    /** All that was sent has reached the server: what follows is another delivery. */
    Client delivered() {
        await(
                "the server to receive " + sent + " bytes",
                () -> bytesIn() - bytesInBefore >= sent || read() && ended);
        return this;
    }

    /** Ends its side. */
    Client end() {
        try {
            if (tls == null) {
                channel.shutdownOutput();
            } else {
                tls.end();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Looks for bytes; answers whether something happened. */
    private boolean read() {
        if (ended) {
            return true;
        }
        try {
            int n = tls == null ? channel.read(buffer.clear()) : tls.read(buffer.clear());
            if (n > 0) {
                received.write(buffer.array(), 0, n);
            }
            ended = n < 0;
            return n != 0;
        } catch (IOException e) {
            ended = true;
            reset = true;
            return true;
        }
    }

    /** Everything that has come so far. */
    String text() {
        while (!ended && read()) {
            // more may be there
        }
        return received.toString(ISO_8859_1);
    }

    /** How many bytes have come so far. */
    int count() {
        read();
        return received.size();
    }

    byte[] received() {
        return received.toByteArray();
    }

    /** The first {@link #count} bytes of this have come; it is not copied, and may be replaced. */
    byte[] array() {
        return received.array();
    }

    /** Waits until {@code end} has come; answers all that has. */
    String until(String end) {
        byte[] bytes = end.getBytes(ISO_8859_1);
        if (received.find(bytes, 0) < 0) {
            await("\"" + end + "\"", () -> readUntil(bytes) || ended);
        }
        if (received.find(bytes, 0) < 0) {
            throw new AssertionError("ended before \"" + end + "\" came: " + this);
        }
        return text();
    }

    private boolean readUntil(byte[] end) {
        int known = received.size();
        return read() && received.find(end, known - end.length + 1) >= 0;
    }

    /** Waits until so many bytes have come. */
    Client until(int bytes) {
        await(bytes + " bytes", () -> received.size() >= bytes || read() && ended);
        return this;
    }

    /** Waits until the server has ended; answers all that has come. */
    String untilEnd() {
        await("the end", () -> ended || read() && ended);
        return text();
    }

    /** Whether the server's end came as a reset. */
    boolean wasReset() {
        return reset;
    }

    boolean hasEnded() {
        read();
        return ended;
    }

    /** Closes so that the server sees a reset. */
    void abort() {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        close();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void await(String what, BooleanSupplier happened) {
        await(what, happened, this);
    }

    static void await(String what, BooleanSupplier happened, Object about) {
        long giveUp = System.nanoTime() + PATIENCE;
        int looks = 0;
        while (!happened.getAsBoolean()) {
            if (System.nanoTime() > giveUp) {
                throw new AssertionError("waited in vain for " + what + ": " + about);
            }
            if (looks++ < 100) {
                Thread.yield(); // it mostly comes at once
            } else {
                LockSupport.parkNanos(20_000); // one that spins takes the core of its server
            }
        }
    }

    @Override
    public String toString() {
        String all = received.toString(ISO_8859_1);
        return "received "
                + all.length()
                + " bytes"
                + (ended ? reset ? ", reset" : ", ended" : "")
                + ": "
                + (all.length() > 2000 ? all.substring(0, 2000) + "…" : all);
    }
}

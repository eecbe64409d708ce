// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.output.OutputChunk;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * How one loop talks to the kernel. The loop calls {@link #await}, then {@link #dispatch}, once per
 * turn; everything that a turn starts (sends, reads, closes) is submitted by the next {@code
 * await}. Loop-confined, except {@link #wake}.
 */
sealed interface Transport extends AutoCloseable permits Uring, Nio {

    /** The kind that it is: never {@link TransportKind#AUTO}. */
    TransportKind kind();

    /**
     * Submits what the turn has started; then, if {@code mayBlock}, waits until something happens,
     * at most until the loop's next timer.
     */
    void await(boolean mayBlock) throws IOException;

    /** Tells connections what has happened. */
    void dispatch();

    /** Submits what the turn has started so far, in the middle of it, and waits for nothing. */
    void submit();

    /**
     * Submits what the turn has started, and gives up what does not complete at once: the kernel
     * uses no memory of connections any more. For a loop that has died.
     */
    void cancelAll();

    /** Ends a present or future {@link #await}. Any thread. */
    void wake();

    /**
     * Binds {@code address} and listens; several loops may do so on one address if {@code shared}.
     */
    LoopAcceptor.Socket bind(SocketAddress address, int backlog, boolean shared) throws IOException;

    /** Gives a bound socket back that {@link #listen} was not called for. */
    void release(LoopAcceptor.Socket socket);

    /** Begins to accept. */
    void listen(LoopAcceptor acceptor) throws IOException;

    /** Accepts again at {@code acceptor}, or stops to. */
    void accepting(LoopAcceptor acceptor, boolean on);

    /**
     * Hands a connection of which nothing was read or written over to {@code target}, which has a
     * slot for it; {@link LoopAcceptor#accepted} tells it so, or {@link LoopAcceptor#lost}.
     */
    void handOver(Connection connection, LoopAcceptor target);

    /** How many connections of one listener may be on their way from other loops to this one. */
    int arrivals();

    /** Stops listening for good. */
    void unlisten(LoopAcceptor acceptor);

    /**
     * Begins to open a connection; {@link PendingConnect#connected} or {@link
     * PendingConnect#failed} tells, not from within this call.
     *
     * @throws IOException when it cannot even begin
     */
    void connect(PendingConnect attempt) throws IOException;

    /** Stops trying; {@link PendingConnect#failed} tells when that is done. */
    void cancel(PendingConnect attempt);

    /** Binds {@code address} for datagrams. */
    Datagrams.Socket bindDatagrams(InetSocketAddress address) throws IOException;

    /** Begins to deliver what comes in. */
    void open(Datagrams datagrams) throws IOException;

    /**
     * Sends {@code length} bytes, or fewer if the kernel takes fewer; -1 when it would not take
     * any, and never blocks.
     */
    int send(Datagrams datagrams, byte[] bytes, int length, InetSocketAddress to)
            throws IOException;

    void close(Datagrams datagrams);

    /** Reads from the connection, or stops to; bytes that are already on their way still arrive. */
    void reading(Connection connection, boolean on);

    /**
     * Whether the kernel can send files on this connection; if not, they are to be read and sent.
     */
    boolean sendsFiles(Connection connection);

    /**
     * Sends {@code length} bytes of {@code chunk} from its start; of a file it may be fewer.
     * Answers how many were taken at once, or -1 when {@link Connection#sent} will tell; until then
     * nothing else is sent on this connection.
     */
    int send(Connection connection, OutputChunk chunk, int length);

    /** Ends our side of the stream: the peer reads end of file behind the last byte. */
    void shutdownOutput(Connection connection);

    /**
     * Closes; {@link Connection#gone} follows once the kernel holds no reference to its memory any
     * more.
     */
    void close(Connection connection);

    /**
     * Has a later {@link #close(Connection)} reset the connection (RFC 9293 3.10.5) instead of
     * ending it.
     */
    void resetOnClose(Connection connection);

    /** The peer's address, asked of the kernel. */
    SocketAddress remote(Connection connection);

    /** Our end's address, asked of the kernel. */
    SocketAddress local(Connection connection);

    @Override
    void close();
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.output.OutputChunk;
import io.sirocco.net.transport.TransportAcceptor;
import java.net.SocketAddress;

/**
 * The socket of a connection: what each transport implements, and {@link Connection} and its parts
 * call. {@link Connection} is the superclass of the implementations, so that a connection stays one
 * object. Programs can neither call nor implement any of this. Loop-confined.
 */
abstract class ConnectionSocket extends Timer {
    /**
     * Starts or stops reading from the socket; bytes that are already on their way still arrive.
     *
     * @hidden
     */
    protected abstract void reading(boolean on);

    /**
     * Returns whether the kernel can send files on this socket; if not, their content is read and
     * sent.
     *
     * @hidden
     */
    protected abstract boolean sendsFiles();

    /**
     * Sends {@code length} bytes of {@code chunk} from its start; of a file it may be fewer.
     *
     * @return how many bytes were taken at once, or -1 when {@link Connection#sent} follows; until
     *     then nothing else is sent
     * @hidden
     */
    protected abstract int send(OutputChunk chunk, int length);

    /**
     * Ends our side of the stream: the peer reads end of file behind the last byte.
     *
     * @hidden
     */
    protected abstract void shutdownOutput();

    /**
     * Has a later {@link #closeSocket} reset the connection (RFC 9293 3.10.5) instead of ending it.
     *
     * @hidden
     */
    protected abstract void resetOnClose();

    /**
     * Closes the socket; {@link Connection#gone} follows, not from within this call, when the
     * kernel uses no memory of it.
     *
     * @hidden
     */
    protected abstract void closeSocket();

    /**
     * Hands the socket, from which nothing was read and to which nothing was written, over to the
     * loop of {@code target}, which has a slot for it.
     *
     * @hidden
     */
    protected abstract void handOver(TransportAcceptor target);

    /**
     * Asks the kernel for the peer's address.
     *
     * @hidden
     */
    protected abstract SocketAddress remoteAddress();

    /**
     * Asks the kernel for our end's address.
     *
     * @hidden
     */
    protected abstract SocketAddress localAddress();
}

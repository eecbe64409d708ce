// SPDX-License-Identifier: Apache-2.0
package org.httpkit.server;

import io.sirocco.ring.RingChannel;

/**
 * The {@code :async-channel} of a request, by the name of http-kit's class: for programs and
 * libraries that extend a protocol to it, test with {@code instance?}, or call it from Java.
 * Namespace {@code org.httpkit.server} has functions for the same and more. Any thread.
 */
public final class AsyncChannel implements RingChannel.View {
    private final RingChannel channel;

    /** Called by {@code org.httpkit.server/run-server}. */
    public AsyncChannel(RingChannel channel) {
        this.channel = channel;
    }

    @Override
    public RingChannel channel() {
        return channel;
    }

    /** Returns whether it is the channel of a WebSocket. */
    public boolean isWebSocket() {
        return channel.isWebSocket();
    }

    /** Returns whether either side has closed it. */
    public boolean isClosed() {
        return !channel.isOpen();
    }

    /**
     * Sends a body, a response map or a message. Waits while {@code :max-pending} bytes are unsent.
     *
     * @param close whether to close the channel behind it
     * @return false if it is closed
     * @throws IllegalArgumentException if the data cannot be sent
     */
    public boolean send(Object data, boolean close) throws Exception {
        return channel.send(data, close, true);
    }

    /**
     * Closes it, a WebSocket with a code (RFC 6455 7.4).
     *
     * @return false if it was closed before
     * @throws IllegalArgumentException if a server must not send that code
     */
    public boolean serverClose(int code) throws Exception {
        return serverClose(code, "");
    }

    /**
     * Closes it, a WebSocket with a code and a reason of at most 123 bytes.
     *
     * @return false if it was closed before
     * @throws IllegalArgumentException if a server must not send that code
     */
    public boolean serverClose(int code, String reason) throws Exception {
        return channel.close(code, reason);
    }

    @Override
    public String toString() {
        return "AsyncChannel of " + channel;
    }
}

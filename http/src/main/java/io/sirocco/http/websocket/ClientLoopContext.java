// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import io.sirocco.http.WebSocketClient;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Loop;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.RepeatedFailures;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** The context that the sockets of a {@link WebSocketClient} on one loop share. Loop-confined. */
public final class ClientLoopContext extends WebSocketContext {
    private static final LazyLogger LOG = LazyLogger.of(WebSocketClient.class);
    private static final RepeatedFailures FAILURES = new RepeatedFailures(LOG, Level.ERROR);

    /** The number of keys that are drawn at once, since a draw costs the same for one. */
    private static final int KEYS = 256;

    private static final AtomicLong IDS = new AtomicLong();

    private final long writeMillis;
    private final SecureRandom random = new SecureRandom();
    private final ByteBuffer keys = ByteBuffer.allocate(4 * KEYS).flip();
    private CompletableFuture<Void> empty; // null unless somebody waits for the last one
    public int open; // read by other threads, which may see it a little late

    public ClientLoopContext(Loop loop, long writeMillis) {
        super(loop, Role.CLIENT);
        this.writeMillis = writeMillis;
    }

    @Override
    public void socketOpened() {
        open++;
    }

    @Override
    public void socketClosed(Connection connection, CloseCause cause) {
        open--;
        if (open == 0 && empty != null) {
            empty.complete(null);
        }
    }

    /** Closes all sockets with 1001. Completes {@code end} when none is left. */
    public void drain(CompletableFuture<Void> end) {
        empty = end;
        if (open == 0) {
            end.complete(null);
        } else {
            loop.forEachProtocol(
                    protocol -> {
                        if (protocol instanceof WebSocketConnection socket && socket.isOf(this)) {
                            socket.drain();
                        }
                    });
        }
    }

    /** Returns whether the client has been closed. */
    public boolean draining() {
        return empty != null;
    }

    @Override
    public long writeMillis() {
        return writeMillis;
    }

    /** Returns a masking key that cannot be predicted from earlier ones (RFC 6455 10.3). */
    @Override
    public int nextKey() {
        if (!keys.hasRemaining()) {
            random.nextBytes(keys.array());
            keys.clear();
        }
        return keys.getInt();
    }

    /** Returns 16 random bytes for {@code Sec-WebSocket-Key}. */
    byte[] nonce() {
        byte[] nonce = new byte[16];
        random.nextBytes(nonce);
        return nonce;
    }

    @Override
    public void failed(String id, Throwable thrown) {
        FAILURES.log("WebSocket", "the code of WebSocket " + id + " failed", thrown);
    }

    /** Returns the id of a socket for logs. */
    static String nextId() {
        return "client-" + Long.toString(IDS.incrementAndGet(), 36);
    }
}

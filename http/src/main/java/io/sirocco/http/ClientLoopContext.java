// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.ws.Role;
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

/** What the sockets of a {@link WebSocketClient} share that are on one loop. Loop-confined. */
final class ClientLoopContext extends WebSocketContext {
    private static final LazyLogger LOG = LazyLogger.of(WebSocketClient.class);
    private static final RepeatedFailures FAILURES = new RepeatedFailures(LOG, Level.ERROR);

    /** Keys are drawn so many at a time: it is the single draw that costs. */
    private static final int KEYS = 256;

    private static final AtomicLong IDS = new AtomicLong();

    private final long writeMillis;
    private final SecureRandom random = new SecureRandom();
    private final ByteBuffer keys = ByteBuffer.allocate(4 * KEYS).flip();
    private CompletableFuture<Void> empty; // null unless somebody waits for the last one
    int open; // read by other threads, which may see it a little late

    ClientLoopContext(Loop loop, long writeMillis) {
        super(loop, Role.CLIENT);
        this.writeMillis = writeMillis;
    }

    @Override
    void socketOpened() {
        open++;
    }

    @Override
    void socketClosed(Connection connection, CloseCause cause) {
        open--;
        if (open == 0 && empty != null) {
            empty.complete(null);
        }
    }

    /** Says good-bye on all sockets; {@code end} is completed when none is left. */
    void drain(CompletableFuture<Void> end) {
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

    /** Whether its client has been closed. */
    boolean draining() {
        return empty != null;
    }

    @Override
    long writeMillis() {
        return writeMillis;
    }

    /** One that nobody can foresee who has seen those before (RFC 6455 10.3). */
    @Override
    int nextKey() {
        if (!keys.hasRemaining()) {
            random.nextBytes(keys.array());
            keys.clear();
        }
        return keys.getInt();
    }

    /** Sixteen bytes for {@code Sec-WebSocket-Key}. */
    byte[] nonce() {
        byte[] nonce = new byte[16];
        random.nextBytes(nonce);
        return nonce;
    }

    @Override
    void failed(String id, Throwable thrown) {
        FAILURES.log("WebSocket", "the code of WebSocket " + id + " failed", thrown);
    }

    /** Names a socket in logs. */
    static String nextId() {
        return "client-" + Long.toString(IDS.incrementAndGet(), 36);
    }
}

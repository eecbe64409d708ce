// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.http.WebSocketClient;
import io.sirocco.live.client.Disconnected.Cause;
import io.sirocco.net.ScheduledTask;
import java.net.URI;

/**
 * The way to the server, of which there is one at a time.
 *
 * <pre>
 *            somebody wants it                     Engine.IO's open
 *   nothing ───────────────────▶ an attempt ─────────────────────────▶ open
 *    ▲    ▲                        ▲    │ refused, too late              │ lost, silent, malformed
 *    │    │            retry's time│    ▼                                ▼
 *    │    └─ nobody wants it ──── retry ◀──────────────────────────────────
 *    └────────────────────────────────────── nobody wants it ────────────
 * </pre>
 *
 * <p>There is a {@link Connection} or a retry, never both. Loop-confined.
 */
final class Link {
    private final LiveClient client;
    private final WebSocketClient opener;
    private final URI uri;
    private final Backoff backoff;
    private Connection connection; // null while there is none
    private ScheduledTask retry; // null unless one is waited for
    private int sockets; // that are open, or not yet closed to the end
    private boolean closing;

    Link(LiveClient client, WebSocketClient opener, URI uri) {
        this.client = client;
        this.opener = opener;
        this.uri = uri;
        this.backoff = client.backoff();
    }

    boolean isCurrent(Connection which) {
        return connection == which;
    }

    boolean isOpen() {
        return connection != null && connection.isOpen();
    }

    // ---- coming and going

    /** Somebody wants it. */
    void want() {
        if (connection == null && retry == null && !closing) {
            begin();
        }
    }

    private void begin() {
        connection = new Connection(this, client);
        connection.begin(opener, uri);
    }

    /** A WebSocket has come about. */
    void opened() {
        sockets++;
    }

    /** A namespace was joined: it is a good one. */
    void joined() {
        backoff.reset();
    }

    /** Somebody wants it no longer; others may. */
    void release() {
        if (client.channels.wanted() || closing || client.channels.anyJoined()) {
            return;
        }
        cancelRetry();
        if (connection != null) {
            connection.part();
            connection = null;
        }
    }

    private void cancelRetry() {
        if (retry != null) {
            retry.cancel();
            retry = null;
        }
    }

    /** It is of no use any more. */
    void fail(String why) {
        if (connection != null) {
            connection.lose(Cause.LOST, why);
        }
    }

    /** The server wants nothing of us, for good. */
    void refused(Connection which, Refused refused) {
        connection = null;
        which.part();
        client.channels.refused(refused);
    }

    void lost(Connection which, Cause cause, String why) {
        connection = null;
        which.part();
        client.channels.lost(cause, why);
        if (closing) {
            lookWhetherClosed();
        } else if (client.channels.wanted()) {
            retryLater(why);
        }
    }

    private void retryLater(String why) {
        if (!client.settings.reconnects) {
            client.channels.givenUp(why);
            return;
        }
        long delay = backoff.next();
        retry =
                client.loop.schedule(
                        delay,
                        () -> {
                            retry = null;
                            if (client.channels.wanted()) {
                                begin();
                            }
                        });
        client.reconnecting(backoff.attempts(), delay, why);
    }

    // ---- the end

    /** No further attempt is made. */
    void beginClosing() {
        closing = true;
        cancelRetry();
    }

    /** Ends when all was said that waits to be. */
    void close() {
        if (isOpen()) {
            pump();
        } else {
            abandon();
        }
        lookWhetherClosed();
    }

    private void abandon() {
        Connection which = connection;
        connection = null;
        if (which != null) {
            which.part();
            client.channels.lost(Cause.CLOSED, "");
        }
    }

    /** Ends now. */
    void cut() {
        abandon();
        client.ending.linkClosed();
    }

    /** A WebSocket has closed to the end. */
    void closed() {
        sockets--;
        lookWhetherClosed();
    }

    private void lookWhetherClosed() {
        if (closing && connection == null && sockets == 0) {
            client.ending.linkClosed();
        }
    }

    // ---- what goes over it

    /** Writes a text that nothing has to wait for. */
    void write(String text) {
        if (connection != null) {
            connection.write(text);
        }
    }

    /** Writes what namespaces have to send, as far as there is room. */
    void pump() {
        while (connection != null && connection.isWritable()) {
            Message message = client.channels.nextMessage();
            if (message == null) {
                client.channels.leaveWhenFlushed();
                break;
            }
            connection.write(message);
        }
        boolean over = closing && connection != null && connection.isFlushed();
        if (over && !client.channels.anyJoined()) {
            connection.sayGoodBye();
        }
    }

    /** Calls {@code then} when the server has taken all that was written. */
    void whenTaken(Runnable then) {
        if (connection != null) {
            connection.whenTaken(then);
        }
    }

    /** Handlers have less to do, or an answer is waited for behind what has come. */
    void continueReading() {
        if (connection != null) {
            connection.look();
        }
    }
}

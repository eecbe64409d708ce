// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.net.ScheduledTask;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The end of a client: what was sent before is sent, what has come is handled, within a deadline.
 * Any thread, unless a method says otherwise.
 */
final class Ending {
    private final LiveClient client;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private ScheduledTask deadline; // on the loop
    private boolean linkIsClosed; // on the loop

    Ending(LiveClient client) {
        this.client = client;
    }

    boolean hasBegun() {
        return begun.get();
    }

    void begin() {
        if (begun.getAndSet(true)) {
            return;
        }
        client.channels.forEach(Channel::refuseMore);
        if (!client.execute(this::leave)) {
            client.channels.forEach(Channel::end); // the loop was another's, and has ended
            ended.complete(null);
        }
    }

    void await() {
        ended.join();
    }

    private void leave() {
        deadline = client.loop.schedule(client.settings.close.toMillis(), this::cut);
        client.link.beginClosing();
        client.channels.forEach(channel -> channel.membership.leave());
        client.link.close();
    }

    private void cut() {
        if (!linkIsClosed) {
            client.link.cut();
        }
        client.turns.cutOff();
        finish();
    }

    /** The last that was to be read has come. On the loop. */
    void linkClosed() {
        if (!linkIsClosed) {
            linkIsClosed = true;
            client.turns.end(this::finish);
        }
    }

    private void finish() {
        deadline.cancel();
        client.channels.forEach(Channel::end);
        ended.complete(null);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;

/**
 * The end of a service: nobody comes in any more, nothing more is read, handlers run to their end,
 * what was sent is delivered, and each session is closed. Any thread.
 */
final class Farewell {
    private static final int LOOK_MILLIS = 5;

    private final Hub hub;
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    Farewell(Hub hub) {
        this.hub = hub;
    }

    CompletionStage<Void> begin() {
        hub.stopping = true;
        hub.engine.refuseMore();
        hub.shards().forEach(Shard::hurry);
        hub.engine.sessions().forEach(session -> session.run(session::pause));
        look();
        return end;
    }

    /** Looks whether all is over, again and again. */
    private void look() {
        for (var session : hub.engine.sessions()) {
            session.run(() -> ((Link) session.channel()).finishWhenQuiet());
        }
        boolean quiet =
                hub.engine.size() == 0 && hub.shards().stream().allMatch(s -> s.handlers() == 0);
        Iterator<Shard> any = hub.shards().iterator();
        if (quiet || !any.hasNext()) {
            end.complete(null);
            return;
        }
        var loop = any.next().loop;
        try {
            loop.execute(() -> loop.schedule(LOOK_MILLIS, this::look));
        } catch (RejectedExecutionException e) {
            end.complete(null); // the server has ended
        }
    }
}

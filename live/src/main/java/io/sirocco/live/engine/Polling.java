// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.Response;
import io.sirocco.http.WebSocket;
import io.sirocco.live.wire.EnginePacket;
import io.sirocco.live.wire.EnginePacket.Kind;
import io.sirocco.live.wire.Payload;
import io.sirocco.live.wire.WireException;
import java.util.concurrent.CompletableFuture;

/**
 * A session's side of long polling: a request that waits for packets, and one that has brought
 * some. It is there until a WebSocket takes its place. Confined to the loop of the session.
 */
final class Polling {
    private static final String NOOP = "6";
    private static final String CLOSE = "1";

    private final Session session;
    private CompletableFuture<Response> poll; // that waits
    private CompletableFuture<Response> post; // whose answer is held back
    private boolean upgrading; // nobody polls for long any more
    private boolean flushes; // has a task to

    Polling(Session session) {
        this.session = session;
    }

    /** A request waits for packets. */
    void poll(CompletableFuture<Response> answer) {
        if (poll != null) {
            answer.complete(Refusal.REQUEST.response());
            session.cut("two polls at once");
            return;
        }
        poll = answer;
        flush();
        if (upgrading) {
            answerPoll(NOOP);
        }
    }

    /** A request has brought packets. */
    void data(String body, CompletableFuture<Response> answer) {
        if (post != null) {
            answer.complete(Refusal.REQUEST.response());
            session.cut("two posts at once");
            return;
        }
        try {
            for (EnginePacket packet : Payload.parse(body)) {
                session.receive(packet);
            }
        } catch (WireException e) {
            answer.complete(Refusal.REQUEST.response());
            session.cut(e);
            return;
        }
        post = answer;
        if (!session.paused()) {
            resume();
        }
    }

    /** The next request may bring more. */
    void resume() {
        answerPost(Engine.text("ok"));
    }

    /** Something waits to be sent: all that is sent in this turn leaves in one answer. */
    void wake() {
        if (!flushes) {
            flushes = true;
            session.loop().execute(() -> session.run(this::flush));
        }
    }

    /** Answers the request that waits, if there is something to tell it. */
    void flush() {
        flushes = false;
        if (poll == null) {
            return;
        }
        String body = session.takePayload();
        if (!body.isEmpty()) {
            answerPoll(body); // a close has a poll of its own, or clients overlook this
        } else {
            session.drained();
        }
    }

    /**
     * A WebSocket has sent this before it has taken our place: it is tried first, and waits until
     * nobody polls.
     *
     * @return whether it takes our place now
     */
    boolean probed(WebSocket candidate, EnginePacket.Text packet) throws WireException {
        if (packet.kind() == Kind.UPGRADE && upgrading) {
            return true;
        }
        if (packet.kind() != Kind.PING || !packet.data().equals("probe")) {
            throw new WireException("an upgrade begins with 2probe");
        }
        upgrading = true;
        candidate.trySend("3probe");
        flush();
        answerPoll(NOOP);
        return false;
    }

    /** It is not tried any more. */
    void goOn() {
        upgrading = false;
    }

    /** A WebSocket has taken its place. */
    void upgraded() {
        answerPoll(NOOP);
        resume();
    }

    /** The session has ended. */
    void close() {
        answerPoll(CLOSE);
        answerPost(Refusal.REQUEST.response());
    }

    private void answerPost(Response response) {
        if (post != null) {
            post.complete(response);
            post = null;
        }
    }

    private void answerPoll(String body) {
        if (poll != null) {
            poll.complete(Engine.text(body));
            poll = null;
        }
    }
}

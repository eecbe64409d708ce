// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.Request;
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
    private static final Response OK = Engine.text("ok");
    private static final int LONGEST_MARK = 64;

    private final Session session;
    private final String firstMark; // of the request that has opened the session
    private String lastMark = ""; // of the last poll
    private Brought last; // by a post; null when that had no mark
    private CompletableFuture<Response> poll; // that waits
    private CompletableFuture<Response> post; // whose answer is held back
    private boolean upgrading; // nobody polls for long any more
    private boolean flushes; // has a task to

    Polling(Session session, String mark) {
        this.session = session;
        this.firstMark = mark.length() > LONGEST_MARK ? "" : mark;
    }

    /** A request waits for packets; {@code mark} is the client's own for it, or empty. */
    void poll(String mark, CompletableFuture<Response> answer) {
        boolean again = identifies(mark) && mark.equals(lastMark);
        lastMark = identifies(mark) ? mark : "";
        if (again) {
            answer.complete(Refusal.SESSION.response());
            session.cut("a poll has come twice: its first answer may be lost");
            return;
        }
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

    /**
     * Whether two requests with this mark are one that HTTP has made again by itself, as it may
     * when a reset has left the first without an answer. Clients give each request a mark of its
     * own, or all of them the same.
     */
    private boolean identifies(String mark) {
        return !mark.isEmpty() && mark.length() <= LONGEST_MARK && !mark.equals(firstMark);
    }

    /** A request has brought packets: {@code body}. */
    void data(Request request, String mark, String body, CompletableFuture<Response> answer) {
        if (last != null && last.isRepeatedBy(mark, body)) {
            answer.complete(OK);
            return;
        }
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
        last = identifies(mark) ? new Brought(mark, body.hashCode(), request) : null;
        post = answer;
        if (!session.paused()) {
            resume();
        }
    }

    /** The next request may bring more. */
    void resume() {
        answerPost(OK);
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
        last = null;
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

    /** What a request has brought, as far as that tells it from the next. */
    private record Brought(String mark, int hash, Request request) {

        /** While its own answer can still arrive, the same once more is chance. */
        boolean isRepeatedBy(String mark, String body) {
            return this.mark.equals(mark) && hash == body.hashCode() && !request.connected();
        }
    }
}

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
    private static final int PACKETS_AT_ONCE = 256; // then others have the loop

    private final Session session;
    private final String firstMark; // of the request that has opened the session
    private String lastMark = ""; // of the last poll
    private Brought last; // by a post; null when that had no mark
    private CompletableFuture<Response> poll; // that waits
    private boolean acceptsGzip; // the client of that poll
    private Post post; // until it is answered; null while there is none
    private boolean taking;
    private boolean upgrading; // nobody polls for long any more
    private boolean flushes; // has a task to

    Polling(Session session, String mark) {
        this.session = session;
        this.firstMark = mark.length() > LONGEST_MARK ? "" : mark;
    }

    /** A request waits for packets; {@code mark} is the client's own for it, or empty. */
    void poll(String mark, boolean gzip, CompletableFuture<Response> answer) {
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
        acceptsGzip = gzip;
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

    /** A request brings packets: its headers are here. */
    void post(Request request, String mark, CompletableFuture<Response> answer) {
        if (post != null) {
            answer.complete(Refusal.REQUEST.response());
            session.cut("two posts at once");
            return;
        }
        var mine = new Post(request, mark, answer);
        post = mine;
        PostBody.read(request, session.mostInPost(), session.postWindowMillis())
                .whenComplete(
                        (body, thrown) ->
                                session.run(
                                        () -> {
                                            if (thrown == null) {
                                                arrived(mine, body);
                                            } else {
                                                failed(mine, thrown);
                                            }
                                        }));
    }

    private void arrived(Post mine, PostBody body) {
        if (post != mine) { // the session has ended meanwhile
            body.release();
            return;
        }
        int hash = body.hash();
        boolean again = last != null && last.isRepeatedBy(mine.mark, hash);
        post.body = body;
        if (again) {
            answerPost(OK);
            return;
        }
        last = identifies(mine.mark) ? new Brought(mine.mark, hash, mine.request) : null;
        post.packets = body.packets();
        take();
    }

    private void failed(Post mine, Throwable thrown) {
        if (post != mine) {
            return;
        }
        if (thrown instanceof PostBody.Refused refused) {
            answerPost(Engine.refuse(refused.status(), 3, refused.getMessage()).closeConnection());
        } else {
            post = null;
            mine.answer.completeExceptionally(thrown);
        }
        session.cut("the body of a post was refused");
    }

    /** Takes packets one by one, until the session is paused: the client waits for its answer. */
    private void take() {
        if (taking || post == null || post.packets == null) {
            return;
        }
        taking = true;
        try {
            int taken = 0;
            while (post != null && post.packets.hasNext() && !session.paused()) {
                if (taken++ == PACKETS_AT_ONCE) {
                    session.loop().execute(() -> session.run(this::take));
                    return;
                }
                session.receive(post.packets.next());
            }
        } catch (WireException e) {
            answerPost(Refusal.REQUEST.response());
            session.cut(e);
        } finally {
            taking = false;
        }
        if (post != null && !session.paused()) {
            answerPost(OK);
        }
    }

    /** More is taken. */
    void resume() {
        take();
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
            if (post != null) { // what it brings comes before what the WebSocket brings
                throw new WireException("an upgrade has come before the answer to a post");
            }
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
    }

    /** The session has ended. */
    void close() {
        answerPoll(CLOSE);
        answerPost(taking ? OK : Refusal.REQUEST.response()); // it has said good-bye by that post
        last = null;
    }

    private void answerPost(Response response) {
        if (post != null) {
            Post answered = post;
            post = null;
            if (answered.body != null) {
                answered.body.release();
            }
            answered.answer.complete(response);
        }
    }

    private void answerPoll(String body) {
        if (poll != null) {
            CompletableFuture<Response> answered = poll;
            poll = null;
            if (acceptsGzip) {
                PollCompression.answer(answered, body, session.loop());
            } else {
                answered.complete(Engine.text(body));
            }
        }
    }

    /** A request that brings packets, until it is answered. */
    private static final class Post {
        final Request request;
        final String mark;
        final CompletableFuture<Response> answer;
        PostBody body; // null until it is complete
        Payload.Packets packets; // not taken yet; null until then, too

        Post(Request request, String mark, CompletableFuture<Response> answer) {
            this.request = request;
            this.mark = mark;
            this.answer = answer;
        }
    }

    /** What a request has brought, as far as that tells it from the next. */
    private record Brought(String mark, int hash, Request request) {

        /** While its own answer can still arrive, the same once more is chance. */
        boolean isRepeatedBy(String mark, int hash) {
            return this.mark.equals(mark) && this.hash == hash && !request.isConnected();
        }
    }
}

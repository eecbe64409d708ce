// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Carries what concerns all nodes of a service: messages to rooms and their history, sessions that
 * may be recovered, presence, spent tickets and counts of limits. Unless another is set, the memory
 * of this process is one.
 *
 * <p>Messages have one order, the same for all nodes: that of their {@link Position}s. A node is
 * given its own messages in that order too, so that it need not tell them from others'.
 *
 * <p>The stages end exceptionally with a {@link BrokerException} when the broker cannot be reached
 * within its deadline; a broker reconnects by itself, as long as it is open. They may end on any
 * thread, also that of the caller. Any thread; no method blocks but {@link #start} and {@link
 * #close}.
 */
public interface Broker extends AutoCloseable {
    /** How many sessions may be renewed by one call. */
    int MAX_RENEWED = 200;

    /**
     * Whether the nodes of this broker may be several processes, which then must have the same
     * secrets.
     */
    default boolean spansProcesses() {
        return true;
    }

    /**
     * Begins to deliver to {@code node}. Called once, before all else.
     *
     * @throws BrokerException when there is no reaching it now
     */
    void start(Node node);

    /**
     * Has a message delivered to all nodes, in order. When the stage ends it is certain to be, to
     * each node that is alive, and to be found by {@link #replay} and {@link #history}. When it
     * ends exceptionally, the message may arrive all the same, once: {@link
     * BrokerException#delivered} says so as soon as the broker knows.
     */
    CompletionStage<Position> publish(Publication publication);

    /**
     * Returns where the newest message is that this node has been given, or that was published
     * before it started. Does not wait.
     */
    Position newest();

    /**
     * Returns what was published behind a position for a client, the oldest first, and in parts: a
     * client takes what it has missed no faster than it can. Each part is asked for with the {@link
     * Replay#end} of the one before, until there is no {@link Replay#more}; a part may have no
     * messages. When the broker does not keep what is behind the position any more, that is a gap.
     *
     * <p>A client that is to miss nothing listens to {@link Node#deliver} before it asks: a message
     * may come both ways then, with the same position, but none comes neither way. When the stage
     * ends, this node has been given all that is in the replay: what is delivered later is not in
     * it.
     *
     * @param after the last that the client has seen, or says that it has
     * @param messages how many at most in this part
     * @param bytes no more of them once they are so many, roughly; one at least
     */
    CompletionStage<Replay> replay(Position after, Audience audience, int messages, long bytes);

    /**
     * The newest messages to a room that keeps a history, oldest first.
     *
     * @param after only those behind it; what is between it and the oldest that is left is a gap.
     *     So is what nobody knows any more: a position of another epoch, or from before the whole
     *     history was forgotten
     */
    CompletionStage<Replay> history(Room room, Optional<Position> after, int most);

    /**
     * A part of a history that is read backwards: the newest messages to a room, oldest first.
     *
     * @param before only those before it: a message of the history, which may be forgotten by now.
     *     A position of another epoch is a gap
     * @param most how many at most
     * @param bytes no more of them once they are so many, roughly; one at least
     */
    CompletionStage<Replay> page(Room room, Optional<Position> before, int most, long bytes);

    /**
     * Keeps a session for {@code life}, in the place of one with that {@code pid}. A node keeps
     * those of its clients again and again, so that they outlive it. What another node has taken
     * within the last minute is not kept again by the one that had it: it has not heard of that
     * yet. Nor is an older version than the one that there is from this node.
     */
    CompletionStage<Void> keep(Session session, Duration life);

    /**
     * Writes what has changed in a session since it was kept or changed last, and keeps it for
     * {@code life}: so a client that joins its thousandth room does not cost a thousand names.
     *
     * @return false when the broker does not have that version from this node: it is to be kept
     *     whole
     */
    CompletionStage<Boolean> change(Session.Change change, Duration life);

    /**
     * Keeps sessions of this node for {@code life} from now on, as they are. Many cost little more
     * than one, and messages do not wait for them.
     *
     * @param pids at most {@link #MAX_RENEWED} of them
     * @return those that the broker does not have from this node: they are to be kept whole
     */
    CompletionStage<List<String>> renew(String namespace, List<String> pids, Duration life);

    /**
     * Takes a session out, for whoever asks first. The node that still had its client is told by
     * {@link Node#taken}, unless it is the one that asks.
     */
    CompletionStage<Optional<Session>> take(String namespace, String pid);

    /** Forgets a session: its client has left. */
    CompletionStage<Void> forget(String namespace, String pid);

    /**
     * A client of this node is in a room. The members of a node that dies leave within seconds.
     * Nodes are told by {@link Node#joined}.
     */
    CompletionStage<Void> join(Room room, Member member);

    /** It is not any more. */
    CompletionStage<Void> leave(Room room, Member member);

    /**
     * Who is in a room, on all nodes: each user once, whatever the number of their connections, and
     * each client that is nobody in particular.
     */
    CompletionStage<List<Member>> members(Room room);

    /**
     * Remembers a ticket as spent.
     *
     * @param life how long it could be used at all
     * @return false when it was spent before
     */
    CompletionStage<Boolean> spend(String ticket, Duration life);

    /** Counts one more of {@code key}; false when that is more than the limit has. */
    CompletionStage<Boolean> count(String key, Limit limit);

    /** Delivers no more. What was not published by now fails. */
    @Override
    void close();
}

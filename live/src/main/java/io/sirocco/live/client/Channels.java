// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.client.Disconnected.Cause;
import io.sirocco.live.wire.Received;
import io.sirocco.live.wire.WireException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The namespaces of a client. Loop-confined, unless a method says otherwise. */
final class Channels {
    private final LiveClient client;
    private final Map<String, Channel> byName = new ConcurrentHashMap<>();
    private final List<Channel> inOrder = new CopyOnWriteArrayList<>(); // as they were made
    private int turn;

    Channels(LiveClient client) {
        this.client = client;
    }

    /** The one of this name. Any thread. */
    Channel of(String name) {
        return byName.computeIfAbsent(
                name,
                each -> {
                    var made = new Channel(client, each);
                    inOrder.add(made);
                    if (client.isClosing()) {
                        made.refuseMore();
                    }
                    return made;
                });
    }

    /** Any thread. */
    void forEach(Consumer<Channel> task) {
        inOrder.forEach(task);
    }

    // ---- what they want

    boolean wanted() {
        return inOrder.stream().anyMatch(channel -> channel.membership.wanted());
    }

    boolean anyJoined() {
        return inOrder.stream().anyMatch(channel -> channel.membership.joined());
    }

    /** Whether an answer is waited for. Any thread. */
    boolean asks() {
        return inOrder.stream().anyMatch(Channel::asks);
    }

    /** The next message of whoever's turn it is; null when nobody has one. */
    Message nextMessage() {
        for (int i = 0; i < inOrder.size(); i++) {
            turn = (turn + 1) % inOrder.size();
            Message message = inOrder.get(turn).next();
            if (message != null) {
                return message;
            }
        }
        return null;
    }

    /** The last one that was given cannot be sent. */
    void unsendable(Message message, String why) {
        inOrder.get(turn).unsendable(message, why);
    }

    void leaveWhenFlushed() {
        forEach(channel -> channel.membership.leaveWhenFlushed());
    }

    // ---- what they are told

    void opened() {
        forEach(channel -> channel.membership.opened());
    }

    void lost(Cause cause, String why) {
        forEach(channel -> channel.membership.lost(cause, why));
    }

    void givenUp(String why) {
        forEach(channel -> channel.membership.givenUp(why));
    }

    void refused(Refused refused) {
        forEach(channel -> channel.membership.refused(refused));
    }

    /** What is for a namespace that nobody has is passed over. */
    void received(Received received) throws WireException {
        Channel channel = byName.get(received.packet().namespace());
        if (channel != null) {
            channel.membership.received(Incoming.of(client.json, received));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Session;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The binary form of sessions: a version of this form, the session as it was kept, and what has
 * changed since, one change behind the other.
 */
final class SessionForm {
    private static final int VERSION = 4;
    private static final int JOINED = 1;
    private static final int LEFT = 2;
    private static final int TAGGED = 3;

    private SessionForm() {}

    static byte[] write(Session session) {
        var form = new Form.Writer().number(VERSION);
        form.text(session.namespace()).text(session.pid());
        form.text(session.client()).text(session.user()).text(session.since().toString());
        form.number(session.rooms().size());
        session.rooms().forEach((room, joined) -> form.text(room).text(joined.toString()));
        form.number(session.tags().size());
        session.tags().forEach((name, value) -> form.text(name).text(value));
        form.number(session.replayed().map(Session.Replayed::times).orElse(0));
        session.replayed().ifPresent(replayed -> form.text(replayed.from().toString()));
        return form.done();
    }

    static byte[] write(Session.Change change) {
        var form = new Form.Writer();
        change.left().forEach(room -> form.number(LEFT).text(room));
        change.joined().forEach((room, at) -> form.number(JOINED).text(room).text(at.toString()));
        change.tags().forEach((name, value) -> form.number(TAGGED).text(name).text(value));
        return form.done();
    }

    /** Nothing, when it is of another version: then its client comes back as a new one. */
    static Optional<Session> read(byte[] bytes) {
        var form = new Form.Reader(bytes);
        if (form.number() != VERSION) {
            return Optional.empty();
        }
        String namespace = form.text();
        String pid = form.text();
        String client = form.text();
        String user = form.text();
        Position since = Position.parse(form.text());
        Map<String, Position> rooms = new HashMap<>();
        for (int left = form.length(); left > 0; left--) {
            rooms.put(form.text(), Position.parse(form.text()));
        }
        int size = form.length();
        Map<String, String> tags = HashMap.newHashMap(size);
        for (int i = 0; i < size; i++) {
            tags.put(form.text(), form.text());
        }
        Optional<Session.Replayed> replayed = Optional.empty();
        int times = form.number();
        if (times > 0) {
            replayed = Optional.of(new Session.Replayed(Position.parse(form.text()), times));
        }
        while (form.hasMore()) {
            int kind = form.number();
            switch (kind) {
                case JOINED -> rooms.put(form.text(), Position.parse(form.text()));
                case LEFT -> rooms.remove(form.text());
                case TAGGED -> tags.put(form.text(), form.text());
                default -> throw new Form.Malformed("a change of no kind that is known: " + kind);
            }
        }
        return Optional.of(
                new Session(namespace, pid, client, user, since, rooms, tags, replayed, 0));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import io.sirocco.live.broker.Session;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The binary form of sessions; its first byte is a version. */
final class SessionForm {
    private static final int VERSION = 1;

    private SessionForm() {}

    static byte[] write(Session session) {
        var form = new Form.Writer().number(VERSION);
        form.text(session.namespace()).text(session.pid());
        form.text(session.client()).text(session.user()).texts(session.rooms());
        form.number(session.tags().size());
        session.tags().forEach((name, value) -> form.text(name).text(value));
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
        List<String> rooms = form.texts();
        int size = form.length();
        Map<String, String> tags = HashMap.newHashMap(size);
        for (int i = 0; i < size; i++) {
            tags.put(form.text(), form.text());
        }
        return Optional.of(new Session(namespace, pid, client, user, rooms, tags));
    }
}

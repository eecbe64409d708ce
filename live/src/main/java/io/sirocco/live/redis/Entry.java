// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sirocco.live.broker.Member;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.broker.Room;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * What the log says to all nodes. In its binary form the first byte is a version, the second says
 * which of these it is. The scripts write the two bytes of {@link Joined}, {@link Left} and {@link
 * Begun} themselves. Immutable.
 */
sealed interface Entry {
    /** The version that is written, and the only one that is read. */
    int VERSION = 1;

    /** A message. */
    record Said(Publication publication) implements Entry {}

    /** A session was taken from the node that is told so. */
    record Taken(String namespace, String pid) implements Entry {}

    /** Somebody is in a room. */
    record Joined(Room room, Member member) implements Entry {}

    /** Somebody is not in it any more. */
    record Left(Room room, Member member) implements Entry {}

    /** An epoch begins. */
    record Begun(String epoch) implements Entry {}

    /** Something of a version to come, which is not for us. */
    record Unknown(int version, int kind) implements Entry {}

    static byte[] said(Publication publication) {
        var form = new Form.Writer().number(VERSION).number(1);
        form.number(publication.kept() ? 1 : 0);
        form.text(publication.namespace());
        form.texts(publication.rooms());
        form.texts(publication.except());
        form.text(publication.event());
        form.number(publication.attachments().size());
        publication.attachments().forEach(form::bytes);
        return form.done();
    }

    static byte[] taken(String namespace, String pid) {
        return new Form.Writer().number(VERSION).number(2).text(namespace).text(pid).done();
    }

    /** Without the two bytes. */
    static byte[] member(Room room, Member member) {
        return new Form.Writer()
                .text(room.namespace())
                .text(room.name())
                .text(member.client())
                .text(member.user())
                .text(member.info())
                .done();
    }

    /**
     * Reads any of them.
     *
     * @throws Form.Malformed when it is none
     */
    static Entry read(byte[] bytes) {
        var form = new Form.Reader(bytes);
        int version = form.number();
        int kind = form.number();
        if (version != VERSION) {
            return new Unknown(version, kind);
        }
        return switch (kind) {
            case 1 -> new Said(publication(form));
            case 2 -> new Taken(form.text(), form.text());
            case 3 -> new Joined(room(form), member(form));
            case 4 -> new Left(room(form), member(form));
            case 5 -> new Begun(new String(bytes, 2, bytes.length - 2, US_ASCII));
            default -> new Unknown(version, kind);
        };
    }

    /** Reads what {@link #member(Room, Member)} wrote. */
    static Member member(byte[] bytes) {
        var form = new Form.Reader(bytes);
        room(form);
        return member(form);
    }

    private static Room room(Form.Reader form) {
        return new Room(form.text(), form.text());
    }

    private static Member member(Form.Reader form) {
        return new Member(form.text(), form.text(), form.text());
    }

    private static Publication publication(Form.Reader form) {
        boolean kept = form.number() == 1;
        String namespace = form.text();
        var rooms = new HashSet<>(form.texts());
        var except = new HashSet<>(form.texts());
        String event = form.text();
        int size = form.length();
        List<byte[]> attachments = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            attachments.add(form.bytes());
        }
        return new Publication(namespace, rooms, except, event, attachments, kept, List.of());
    }
}

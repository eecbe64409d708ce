// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.engine.Parcel;
import io.sirocco.live.wire.Json;
import io.sirocco.live.wire.Packet;

/** The answer that a request of a client waits for; the first counts. Any thread. */
final class Answer {
    /** Characters of an answer when nothing more may wait for anybody. */
    private static final long LITTLE = 4096;

    private final Client client;
    private final Link link;
    private final long id;
    private boolean given; // where the link lives

    Answer(Client client, Link link, long id) {
        this.client = client;
        this.link = link;
        this.id = id;
    }

    /**
     * Gives these values.
     *
     * @throws RequestException with the code {@code limited} when they are longer than an answer
     *     may be, or when so much waits for all clients that nothing of its size may
     */
    void give(Object... values) {
        long most = link.hub.settings.longestAnswer();
        if (!link.session.mayAnswer()) {
            most = Math.min(most, LITTLE);
        }
        Json.Encoded encoded;
        try {
            encoded = link.json().answer(most, values);
        } catch (Json.TooLongException e) {
            throw RequestException.refused(
                    "limited",
                    most == LITTLE
                            ? "the server has no memory for the answer now: try again"
                            : "the answer has more than " + most + " bytes: ask for less");
        }
        send(encoded);
    }

    private void send(Json.Encoded encoded) {
        String name = client.namespace().name();
        Packet packet = Packet.ack(name, id, encoded.attachments().size(), encoded.data());
        Parcel parcel = Parcel.message("4" + packet, encoded.attachments(), false);
        client.inOrder( // behind what its handler has sent before
                () ->
                        link.run(
                                () -> {
                                    if (!given) {
                                        given = true;
                                        link.answered();
                                        link.send(parcel);
                                    }
                                }));
    }

    void fail(String code, String message) {
        send(link.json().answer(new Failure(new Problem(code, message))));
    }

    private record Failure(Problem error) {}

    private record Problem(String code, String message) {}
}

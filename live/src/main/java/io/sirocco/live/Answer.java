// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.engine.Parcel;
import io.sirocco.live.wire.Json;
import io.sirocco.live.wire.Packet;

/** The answer that a request of a client waits for; the first counts. Any thread. */
final class Answer {
    private final Client client;
    private final Link link;
    private final long id;
    private boolean given; // where the link lives

    Answer(Client client, Link link, long id) {
        this.client = client;
        this.link = link;
        this.id = id;
    }

    void give(Object... values) {
        Json.Encoded encoded = link.json().answer(values);
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
        give(new Failure(new Problem(code, message)));
    }

    private record Failure(Problem error) {}

    private record Problem(String code, String message) {}
}
